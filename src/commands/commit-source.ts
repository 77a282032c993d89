import { userError } from "../errors.ts";
import type { Source, World } from "./world.ts";

/** The source as an earlier commit has it, its lock included, read from git's objects: nothing is checked out. */
export async function commitTreeAt(world: World, revision: string): Promise<Source> {
  if (world.repository === undefined) {
    throw userError(
      "This folder is in no git repository",
      "Run this inside of one, or leave out the base",
    );
  }
  const commit = await world.repository.resolve(revision);
  if (commit === undefined) {
    throw userError(
      `The commit ${revision} is not in this clone`,
      "Fetch it: `git fetch --depth 1 origin COMMIT`; with actions/checkout set `fetch-depth: 0`",
    );
  }
  return { ...world.source, tree: world.treeAt(commit), past: true };
}
