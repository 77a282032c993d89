import { readYaml } from "../config/yaml/read.ts";
import { isObject, type Json, type JsonObject, textAt } from "../model/json.ts";
import { failed, ok, type Problem, type Result } from "../model/problems/problem.ts";
import type { YamlNode } from "../model/sources/yaml-node.ts";
import type { OmittedPath, SourceTree } from "../ports/git.ts";
import { endOf, overlaps } from "./omitted-problems.ts";

/**
 * Returns the CustomResourceDefinitions in YAML files below some directories, "" for the root of
 * the repository. Only `compile --check` reads them.
 * It skips files that aren't YAML, such as chart templates. An unknown kind is reported where a
 * manifest uses it.
 */
export async function readCrds(
  tree: SourceTree,
  folders: readonly string[],
): Promise<Result<readonly JsonObject[]>> {
  if (folders.length === 0) return ok([]);
  const named = await Promise.all(
    folders.map(async (written) => ({ written, folder: await endOf(tree, written) })),
  );
  const omitted = await tree.omitted();
  const leftOut = named.flatMap((each) => omittedBelow(omitted, each));
  if (leftOut.length > 0) return failed(leftOut);
  const files = await tree.list([".yaml", ".yml"]);
  const found = await Promise.all(
    named.map(async ({ folder }) => {
      const below = files.filter((file) => folder === "" || file.startsWith(`${folder}/`));
      return (await Promise.all(below.map((file) => readFileCrds(tree, file)))).flat();
    }),
  );
  const empty = folders.filter((_, index) => found[index]?.length === 0);
  return empty.length > 0 ? failed(empty.map(noCrdProblem)) : ok(found.flat());
}

/** A directory as the user names it, and the directory at the end of its links. */
interface CrdFolder {
  readonly written: string;
  readonly folder: string;
}

/**
 * Reports the paths that the tree leaves out, such as a link to a directory. Without their
 * definitions, the check would accept wrong fields.
 */
function omittedBelow(
  omitted: readonly OmittedPath[],
  { folder, written }: CrdFolder,
): readonly Problem[] {
  return omitted
    .filter(({ path }) => overlaps(folder, path))
    .map(({ directory, problem }) => ({
      ...problem,
      ...(directory === undefined
        ? {}
        : { otherwise: [`remove the link, and add --crds ${directory || "."}`] }),
      where: [],
      facts: [...(problem.facts ?? []), { label: "flag", value: `--crds ${written || "."}` }],
    }));
}

async function readFileCrds(tree: SourceTree, file: string): Promise<readonly JsonObject[]> {
  // Only a file that was removed in the meantime has no text.
  const text = (await tree.read(file)) ?? "";
  const documents = text.split(/^---(?:[ \t\r].*)?$/m);
  return documents.filter((each) => each.includes(kind)).flatMap((each) => readOne(file, each));
}

const kind = "CustomResourceDefinition";

function readOne(file: string, document: string): readonly JsonObject[] {
  const read = readYaml(file, document);
  const object = read.ok ? plain(read.value) : null;
  return isObject(object) && textAt(object, "kind") === kind ? [object] : [];
}

function plain(node: YamlNode): Json {
  switch (node.kind) {
    case "scalar":
      return node.value;
    case "list":
      return node.items.map(plain);
    case "map":
      return Object.fromEntries(node.entries.map(({ name, value }) => [name, plain(value)]));
  }
}

function noCrdProblem(folder: string): Problem {
  return {
    code: "invalid-input",
    where: [],
    what: `"--crds ${folder || "."}" contains no readable CustomResourceDefinition`,
    fix: "Name a directory of the repository with YAML manifests of CustomResourceDefinitions",
  };
}
