import type { ModuleListing } from "../model/description.ts";
import { failed, type Result } from "../model/problems/problem.ts";
import type { Cue, ListRequest } from "../ports/cue.ts";

/**
 * Lists the packages of every module that can be adapters, sorted. Fails if a module can't be read.
 */
export function listAdapters(_: ListRequest, cue: Cue): Result<readonly ModuleListing[]> {
  const found = cue.adapters();
  if (found.ok) return found;
  return failed(
    found.errors.map(({ message, positions }) => ({
      code: "invalid-module-file",
      where: positions,
      what: `The module cannot be read: ${message}`,
      fix: 'A module begins with cue.mod/module.cue, which says `module: "example.com/name"`',
    })),
  );
}
