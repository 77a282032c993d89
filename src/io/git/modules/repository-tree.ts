import { catchProblems, UserError } from "../../../model/problems/errors.ts";
import type { Problem, UnplacedProblem } from "../../../model/problems/problem.ts";
import type { FetchedRepository } from "../../../ports/git.ts";
import type { Environment } from "../../environment.ts";
import { commitTree } from "../commit-tree.ts";
import { toRepository } from "../repository.ts";

export type CachedTree = FetchedRepository["tree"];

interface CachedCommit {
  /** The bare repository in the cache. */
  readonly directory: string;
  readonly commit: string;
  readonly environment: Environment;
  /** Counts characters of the content. Returns false if the run has read too much. */
  spend(characters: number): boolean;
  /** Deletes the copy, and returns the problem. */
  damaged(): Promise<UnplacedProblem>;
}

/**
 * Opens the files of a cached commit from git's objects. Nothing is checked out, so no hook, filter
 * or link of it takes effect. A link that leads outside, and a file beyond the limit of a run, are
 * errors when they are read.
 */
export async function openTree(cached: CachedCommit): Promise<CachedTree | UnplacedProblem> {
  const { directory, commit, environment, spend } = cached;
  const call = { directory, environment, bare: true };
  const tree = commitTree(toRepository(directory, call), commit);
  const paths = await catchProblems(() => tree.list([""]));
  if (!paths.ok)
    return paths.problems.some(({ code }) => code === tooMuch.code) ? tooMuch : cached.damaged();
  // No YAML file can name a path that isn't UTF-8.
  const readable = paths.value.filter((path) => !path.includes("\ufffd"));
  if (!spend(readable.reduce((sum, path) => sum + path.length, 0))) return tooMuch;
  // Other failures of git come from the copy, because the file is listed.
  const readProblems = async (problems: readonly Problem[]) =>
    problems.some(({ code }) => code === "git-failed")
      ? [{ ...(await cached.damaged()), where: [] }]
      : problems;
  const read = new Map<string, Promise<string | undefined>>();
  const readOnce = async (path: string) => {
    const found = await catchProblems(() => tree.read(path));
    if (!found.ok) throw new UserError(await readProblems(found.problems));
    const text = found.value;
    if (!spend(text?.length ?? 0)) throw new UserError([{ ...tooMuch, where: [] }]);
    return text;
  };
  return {
    list: async (endings) =>
      readable.filter((path) => endings.some((ending) => path.endsWith(ending))),
    read(path) {
      const text = read.get(path) ?? readOnce(path);
      read.set(path, text);
      return text;
    },
  };
}

export const tooMuch: UnplacedProblem = {
  code: "input-too-large",
  what: "The modules and remote bases are too large together",
  why: "They contain more text than qvs reads in one run",
  fix: "Use fewer modules and remote bases, or smaller repositories",
};
