import { type Lockfile, lockfilePath } from "../config/lockfile/lockfile.ts";
import { parseLockfile } from "../config/lockfile/parse-lockfile.ts";
import { catchProblems } from "../model/problems/errors.ts";
import { ok, type Result } from "../model/problems/problem.ts";
import type { ConfigSource } from "../ports/world.ts";

/** Reads the lockfile next to a config. Returns undefined if there is none. */
export async function readLock(
  { tree }: Pick<ConfigSource, "tree">,
  config: string,
): Promise<Result<Lockfile | undefined>> {
  const file = lockfilePath(config);
  const text = await catchProblems(() => tree.read(file));
  if (!text.ok) return text;
  return text.value === undefined ? ok(undefined) : parseLockfile(file, text.value);
}
