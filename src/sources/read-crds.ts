import { readYaml } from "../config/yaml/read.ts";
import { isObject, type Json, type JsonObject, textAt } from "../model/json.ts";
import { failed, ok, type Problem, type Result } from "../model/problems/problem.ts";
import type { YamlNode } from "../model/sources/yaml-node.ts";
import type { SourceTree } from "../ports/git.ts";

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
  const files = folders.length === 0 ? [] : await tree.list([".yaml", ".yml"]);
  const found = await Promise.all(
    folders.map(async (folder) => {
      const below = files.filter((file) => folder === "" || file.startsWith(`${folder}/`));
      return (await Promise.all(below.map((file) => readFileCrds(tree, file)))).flat();
    }),
  );
  const empty = folders.filter((_, index) => found[index]?.length === 0);
  return empty.length > 0 ? failed(empty.map(noCrdProblem)) : ok(found.flat());
}

async function readFileCrds(tree: SourceTree, file: string): Promise<readonly JsonObject[]> {
  // Only a link to a directory has no text.
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
