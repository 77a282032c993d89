import { listItems } from "../../config/inputs/read-objects.ts";
import { entryPlace } from "../../config/value-places.ts";
import { readManifestYaml } from "../../config/yaml/read.ts";
import type { Position } from "../../model/problems/problem.ts";
import { pathKey } from "../../model/trace.ts";
import { fieldNode, textOf, type YamlNode } from "../../model/yaml-node.ts";
import type { DocumentOrigin, DocumentOrigins, OriginSource } from "../../ports/render.ts";

/** The files of one root of a rendering: those of the repository, or those of a remote base. */
export interface OriginFiles {
  /** The text before a path in a place: empty for the repository, else `base@revision/`. */
  readonly display: string;
  has(path: string): boolean;
  text(path: string): string | undefined;
}

/** A step of a path. A list item also has its name, by which patches select it. */
interface Step {
  readonly key: string;
  readonly name?: string | undefined;
}

/** A field of a rendered document. */
interface RenderedField {
  readonly path: readonly Step[];
  readonly value: YamlNode;
}

const declared = -1;

/**
 * Returns a function that gives each part of a rendered document the place that wrote it: the line
 * of the manifest, of the patch, or of the field of a kustomization. A part without a known line
 * has the place of the nearest part around it. Without an origin, the place is `otherwise`.
 */
export function placeDocuments(
  { sources, documents }: DocumentOrigins,
  roots: readonly OriginFiles[],
  otherwise: Position,
): (document: YamlNode, index: number) => YamlNode {
  const files = new SourceFiles(roots);
  return (document, index) => {
    const origin = documents[index];
    if (origin === undefined) return placed(document, () => otherwise);
    const writers = new Map(origin.fields.map(({ path, by }) => [pathKey(path), by]));
    const place = (field: RenderedField, by: number) => {
      const source = by === declared ? origin.declared : sources[by];
      return (source && files.place(source, origin, field)) ?? otherwise;
    };
    return placed(document, place, writers);
  };
}

function placed(
  document: YamlNode,
  place: (field: RenderedField, by: number) => Position,
  writers: ReadonlyMap<string, number> = new Map(),
): YamlNode {
  const visit = (value: YamlNode, path: readonly Step[], around: number): YamlNode => {
    const by = writers.get(pathKey(path.map(({ key }) => key))) ?? around;
    const where = place({ path, value }, by);
    switch (value.kind) {
      case "scalar":
        return { ...value, source: "", where };
      case "list": {
        const items = value.items.map((item, index) =>
          visit(item, [...path, { key: String(index), name: textOf(item, "name") }], by),
        );
        return { ...value, items, where };
      }
      case "map": {
        const entries = value.entries.map(({ key, name, value: inner }) => {
          const child = visit(inner, [...path, { key: name }], by);
          return { key: { ...key, source: "", where: child.where }, name, value: child };
        });
        return { ...value, entries, where };
      }
    }
  };
  return visit(document, [], declared);
}

/** The files that wrote objects, each parsed once. */
class SourceFiles {
  readonly #roots: readonly OriginFiles[];
  readonly #parsed = new Map<string, readonly YamlNode[]>();

  constructor(roots: readonly OriginFiles[]) {
    this.#roots = roots;
  }

  place(source: OriginSource, origin: DocumentOrigin, field: RenderedField): Position | undefined {
    const { root, path } = source;
    const files = this.#roots[root];
    if (files === undefined) return undefined;
    if (source.field === undefined) {
      const documents = this.#documents(files, root, path);
      return manifestPlace(documents, origin, field) ?? firstLine(files, path);
    }
    const file = kustomizationFile(files, path);
    if (file === undefined) return undefined;
    const [kustomization] = this.#documents(files, root, file);
    const fieldPlace = kustomizationPlace(kustomization, source.field, origin, field);
    return fieldPlace ?? firstLine(files, file);
  }

  /** Returns the documents of a file; none of one that can't be read as YAML. */
  #documents(files: OriginFiles, root: number, path: string): readonly YamlNode[] {
    const key = `${root}:${path}`;
    const known = this.#parsed.get(key);
    if (known !== undefined) return known;
    const text = files.text(path);
    const read = text === undefined ? undefined : readManifestYaml(files.display + path, text);
    const documents = read?.ok === true ? read.value : [];
    this.#parsed.set(key, documents);
    return documents;
  }
}

function firstLine({ display }: OriginFiles, path: string): Position {
  return { file: display + path, line: 1, column: 1 };
}

/** The names of a kustomization, of which a directory has exactly one. */
const kustomizationNames = ["kustomization.yaml", "kustomization.yml", "Kustomization"];

function kustomizationFile(files: OriginFiles, directory: string): string | undefined {
  const prefix = directory === "." ? "" : `${directory}/`;
  return kustomizationNames.map((name) => prefix + name).find((path) => files.has(path));
}

/**
 * Returns the place of a field in a manifest or a patch. Undefined if the file has several documents
 * and none of them, or more than one, has the kind and the name of the object.
 */
function manifestPlace(
  documents: readonly YamlNode[],
  { kind, name }: DocumentOrigin,
  field: RenderedField,
): Position | undefined {
  const [first, ...others] = documents;
  if (first?.kind === "list" && others.length === 0) return operationPlace(first.items, field);
  const objects = documents.flatMap(listItems);
  const named = objects.filter(
    (each) => textOf(each, "kind") === kind && textOf(each, "metadata", "name") === name,
  );
  const [found, another] = named.length > 0 ? named : objects;
  if (found === undefined || another !== undefined) return undefined;
  return deepestPlace(found, field.path);
}

function deepestPlace(node: YamlNode, [step, ...rest]: readonly Step[]): Position {
  if (step === undefined) return node.where;
  if (node.kind === "map") {
    const entry = node.entries.find(({ name }) => name === step.key);
    if (entry === undefined) return node.where;
    return rest.length === 0 || entry.value.kind === "scalar"
      ? entryPlace(entry)
      : innerPlace(entry.value, rest, entryPlace(entry));
  }
  if (node.kind !== "list") return node.where;
  const item = listItem(node.items, step);
  return item === undefined ? node.where : deepestPlace(item, rest);
}

/** Returns the place of a field in a value, or else that of the entry of the value. */
function innerPlace(value: YamlNode, path: readonly Step[], entry: Position): Position {
  const found = deepestPlace(value, path);
  return found === value.where ? entry : found;
}

/** Returns the item with the same name. An item without a name is found by its index. */
function listItem(items: readonly YamlNode[], { key, name = "" }: Step): YamlNode | undefined {
  return name === "" ? items[Number(key)] : items.find((each) => textOf(each, "name") === name);
}

/** Returns the place of the last operation of a JSON patch that writes a field. */
function operationPlace(
  operations: readonly YamlNode[],
  { path }: RenderedField,
): Position | undefined {
  const writes = (operation: YamlNode) => {
    const [, ...steps] = textOf(operation, "path").split("/");
    const names = steps.map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"));
    return names.every((name, i) => isSameStep(name, path[i]));
  };
  return (operations.findLast(writes) ?? operations[0])?.where;
}

/** Compares the indexes of list items as equal, because later changes move items. */
function isSameStep(name: string, step: Step | undefined): boolean {
  if (step === undefined) return false;
  return name === step.key || (/^(\d+|-)$/.test(name) && /^\d+$/.test(step.key));
}

/**
 * Returns the place of the part of a kustomization that wrote a field: the value, or the only item
 * that can have written it. Otherwise it is the place of the field of the kustomization.
 */
function kustomizationPlace(
  kustomization: YamlNode | undefined,
  name: string,
  { name: object }: DocumentOrigin,
  { path, value }: RenderedField,
): Position | undefined {
  const names = name === "labels" ? ["labels", "commonLabels"] : [name];
  const last = path.at(-1)?.key ?? "";
  const entries = kustomization?.kind === "map" ? kustomization.entries : [];
  const places = entries
    .filter((entry) => names.some((each) => each.toLowerCase() === entry.name.toLowerCase()))
    .flatMap((entry): readonly Position[] => {
      if (entry.value.kind === "scalar") return [entryPlace(entry)];
      if (entry.value.kind === "map")
        return fieldNode(entry.value, last) === undefined
          ? []
          : [deepestPlace(entry.value, [{ key: last }])];
      const { items } = entry.value;
      const found = items.filter((item) => canWrite(name, item, object, last, value));
      const [item, another] = items.length === 1 ? items : found;
      return item === undefined || another !== undefined
        ? [entry.key.where]
        : [partPlace(name, item, last)];
    });
  const keys = entries.filter((entry) => names.includes(entry.name)).map(({ key }) => key.where);
  return places.length === 1 ? places[0] : keys[0];
}

/** Reports whether an item of a kustomization's list can have written a value. */
function canWrite(
  name: string,
  item: YamlNode,
  object: string,
  last: string,
  value: YamlNode,
): boolean {
  switch (name) {
    case "images":
      return value.kind === "scalar" && isImage(String(value.value), item);
    case "labels":
      return fieldNode(fieldNode(item, "pairs"), last) !== undefined;
    default:
      return textOf(item, "name") === object;
  }
}

/** Reports whether an item of `images` gives this image. */
function isImage(image: string, item: YamlNode): boolean {
  const name = textOf(item, "newName") || textOf(item, "name");
  return image === name || image.startsWith(`${name}:`) || image.startsWith(`${name}@`);
}

/** The fields of an item that hold its value, the first one that exists counts. */
const valueFields = ["digest", "newTag", "newName", "count"];

function partPlace(name: string, item: YamlNode, last: string): Position {
  if (name === "labels") return deepestPlace(item, [{ key: "pairs" }, { key: last }]);
  const field = valueFields.find((each) => fieldNode(item, each) !== undefined);
  return field === undefined ? item.where : deepestPlace(item, [{ key: field }]);
}
