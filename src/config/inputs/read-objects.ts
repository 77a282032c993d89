import {
  failed,
  ok,
  type Position,
  type Problem,
  type Result,
} from "../../model/problems/problem.ts";
import { fieldNode, textOf, type YamlMap, type YamlNode } from "../../model/sources/yaml-node.ts";
import { readManifestYaml, readRenderedYaml } from "../yaml/read.ts";

/** The maximum number of objects of one file. Real files have at most a few hundred. */
const maxObjects = 10_000;

/**
 * Reads the objects of a file, as kubectl does: several documents, and Lists of objects. Documents
 * without content have no objects.
 */
export function readObjects(file: string, text: string): Result<readonly YamlMap[]> {
  const read = readManifestYaml(file, text);
  return read.ok ? objectsIn(read.value, (node) => objectProblem(node, file)) : read;
}

function objectsIn(
  documents: readonly YamlNode[],
  problemOf: (node: YamlNode) => Problem | undefined,
): Result<readonly YamlMap[]> {
  const problems: Problem[] = [];
  const objects = documents.flatMap(listItems).flatMap((node) => {
    const problem = problemOf(node);
    if (problem !== undefined) problems.push(problem);
    return node.kind === "map" ? [node] : [];
  });
  const excess = objects[maxObjects];
  if (excess !== undefined) {
    problems.push({
      code: "input-too-large",
      where: [excess.where],
      what: `The file has more than ${maxObjects} objects`,
      fix: "Split it into several files",
    });
  }
  return problems.length > 0 ? failed(problems) : ok(objects);
}

/** Returns the objects of a List, or the document itself. A List can contain Lists. */
export function listItems(node: YamlNode): readonly YamlNode[] {
  if (node.kind === "scalar" && node.value === null) return [];
  const items = fieldNode(node, "items");
  const isList = /List$/.test(textOf(node, "kind"));
  return isList && items?.kind === "list" ? items.items.flatMap(listItems) : [node];
}

/** Returns one of the documents of a rendered text with other places. */
export type PlaceDocument = (
  document: YamlNode,
  index: number,
  documents: readonly YamlNode[],
) => YamlNode;

/**
 * Reads the objects of a rendered text. Its lines are in no file, so all parts have the place
 * `where`, unless `place` returns a document with other places.
 */
export function readRendered(
  where: Position,
  text: string,
  onRepeated?: (problem: Problem) => void,
  place: PlaceDocument = (node) => movedTo(where, node),
): Result<readonly YamlMap[]> {
  const documents = readRenderedYaml(where.file, text, onRepeated);
  const read = documents.ok ? objectsIn(documents.value.map(place), renderedProblem) : documents;
  return read.ok ? read : failed(read.problems.map((problem) => ({ ...problem, where: [where] })));
}

/** Returns a document whose parts all have one place, and no text of their own. */
export function movedTo<T extends YamlNode>(where: Position, node: T): T;
export function movedTo(where: Position, node: YamlNode): YamlNode {
  switch (node.kind) {
    case "scalar":
      return { ...node, source: "", where };
    case "list":
      return { ...node, items: node.items.map((item) => movedTo(where, item)), where };
    case "map": {
      const entries = node.entries.map(({ key, name, value }) => ({
        key: movedTo(where, key),
        name,
        value: movedTo(where, value),
      }));
      return { ...node, entries, where };
    }
  }
}

/** Returns the problem of a rendered object. Its user can change only the template. */
function renderedProblem(node: YamlNode): Problem | undefined {
  const problem = objectProblem(node, "");
  if (problem === undefined) return undefined;
  const { otherwise: _, ...rest } = problem;
  return { ...rest, fix: "Correct the template, or the values that it uses" };
}

function objectProblem(node: YamlNode, file: string): Problem | undefined {
  const where = [node.where];
  if (node.kind === "map" && isToolFile(node, file)) {
    return {
      code: "invalid-object",
      where,
      what: "This document isn't a manifest",
      why: "A tool reads it to render manifests",
      fix: 'Write "kustomize:" instead of "manifests:" for the directory of a kustomization',
      otherwise: ["name the files with manifests, for example with a glob"],
    };
  }
  const missing = (["apiVersion", "kind", "metadata"] as const).filter(
    (name) => node.kind !== "map" || fieldNode(node, name) === undefined,
  );
  if (missing.length > 0) {
    return {
      code: "invalid-object",
      where,
      what: "This document isn't a Kubernetes object",
      facts: [{ label: "missing", value: missing.join(", ") }],
      fix: "Name the files with manifests, for example with a glob",
    };
  }
  // qvs reads these fields of adapters' resources as its own.
  const own = (node as YamlMap).entries.find(
    ({ name }) => name === "provider" || name === "output",
  );
  if (own === undefined) return undefined;
  return {
    code: "invalid-object",
    where: [own.key.where],
    what: `The object has the field "${own.name}", which qvs reserves`,
    fix: `Remove "${own.name}", or write the object in an adapter`,
  };
}

/** Reports whether the document is a kustomization or belongs to a chart. */
function isToolFile(node: YamlMap, file: string): boolean {
  const name = file.slice(file.lastIndexOf("/") + 1);
  if (textOf(node, "apiVersion").startsWith("kustomize.config.k8s.io/")) return true;
  if (/^kustomization\.ya?ml$/.test(name)) return true;
  return /^(Chart|values)\.ya?ml$/.test(name) && fieldNode(node, "kind") === undefined;
}
