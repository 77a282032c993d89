import type { ModuleListing } from "../model/description.ts";
import { failed, type Result } from "../model/problems/problem.ts";
import type { Cue, ListRequest } from "../ports/cue.ts";
import { explainProblem } from "./problems/explain-problem.ts";

/**
 * Lists the packages of every module that can be adapters, sorted. Fails if a module can't be read.
 */
export function listAdapters(_: ListRequest, cue: Cue): Result<readonly ModuleListing[]> {
  const found = cue.adapters();
  if (found.ok) return found;
  return failed(
    found.errors.map(({ message, positions }) => {
      const [{ file } = { file: undefined }] = positions;
      const name = file === undefined ? "The module" : `"${file}"`;
      return {
        ...explainProblem({ message }, { name }, unreadableModule),
        code: "invalid-module-file",
        where: positions,
      };
    }),
  );
}

const unreadableModule = {
  code: "invalid-module-file",
  fact: "can't be read",
  fix: 'Start the module with cue.mod/module.cue and `module: "example.com/name"`',
} as const;
