import { findFileMentions } from "../config/parse-deployments.ts";
import type { Position, Problem } from "../model/problems/problem.ts";
import { closest, suggest } from "../model/text/suggest.ts";
import type { SourceTree } from "../ports/git.ts";
import { deploymentsFile } from "./list-deployments.ts";

type ReadableTree = Pick<SourceTree, "read" | "list">;

/**
 * Reports a missing file, with every position at which a list of deployments names it. `deployment`
 * limits the search to its entries.
 */
export async function missingFile(
  tree: ReadableTree,
  what: "config" | "parameter file",
  file: string,
  deployment?: string,
): Promise<Problem> {
  const paths = await tree.list([".yaml", ".yml"]);
  const where = await findReferences(tree, paths, file, deployment);
  const from =
    where.length > 0
      ? "is relative to the directory of this file"
      : "is shown from the root of the repository";
  return {
    code: "config-not-found",
    where,
    what: `${what === "config" ? "Config" : "Parameter file"} "${file}" doesn't exist`,
    ...suggest(
      closest(
        file,
        paths.filter((path) => path !== file),
      ),
      `Correct the path, which ${from}`,
      "commit the file: the Action reads only committed files",
    ),
  };
}

/** Returns these positions. A repository can have several lists, one per workflow. */
async function findReferences(
  tree: ReadableTree,
  paths: readonly string[],
  file: string,
  deployment: string | undefined,
): Promise<readonly Position[]> {
  const lists = paths.filter((path) => `/${path}`.endsWith(`/${deploymentsFile}`));
  const places = lists.map(async (list) => {
    const content = await tree.read(list);
    return content === undefined ? [] : findFileMentions({ file: list, content }, file, deployment);
  });
  return (await Promise.all(places)).flat();
}
