import { UserError } from "../model/problems/errors.ts";
import type { ConfigSource, World } from "../ports/world.ts";
import { createParamLookup } from "./undeclared-params.ts";

/**
 * Returns the source at an earlier commit, including its lockfile. qvs reads it from Git objects
 * and checks nothing out.
 */
export async function openCommitSource(world: World, revision: string): Promise<ConfigSource> {
  if (world.repository === undefined) {
    throw new UserError([
      {
        code: "not-a-git-repository",
        where: [],
        what: "This directory isn't in a Git repository",
        fix: "Run qvs in a Git repository",
        otherwise: ["omit --base"],
      },
    ]);
  }
  const commit = await world.repository.resolve(revision);
  if (commit === undefined) {
    throw new UserError([
      {
        code: "commit-not-found",
        where: [],
        what: `Commit ${revision} isn't in this clone`,
        fix: "Fetch it: `git fetch --depth 1 origin COMMIT`",
        otherwise: ["set `fetch-depth: 0` for actions/checkout"],
      },
    ]);
  }
  const tree = world.commitTree(commit);
  const declaredParams = createParamLookup(tree);
  return { ...world.source, tree, declaredParams, isWorkingTree: false, past: true };
}
