import { userError } from "../model/problems/errors.ts";
import type { Source, World } from "../ports/world.ts";
import { declaredParamsOf } from "./undeclared-params.ts";

/**
 * Returns the source at an earlier commit, including its lockfile. qvs reads it from Git objects
 * and checks nothing out.
 */
export async function commitTreeAt(world: World, revision: string): Promise<Source> {
  if (world.repository === undefined) {
    throw userError(
      "not-a-git-repository",
      "This folder is in no git repository",
      "Run this inside of one, or leave out the base",
    );
  }
  const commit = await world.repository.resolve(revision);
  if (commit === undefined) {
    throw userError(
      "commit-not-found",
      `The commit ${revision} is not in this clone`,
      "Fetch it: `git fetch --depth 1 origin COMMIT`; with actions/checkout set `fetch-depth: 0`",
    );
  }
  const tree = world.treeAt(commit);
  return { ...world.source, tree, declaredParams: declaredParamsOf(tree), past: true };
}
