import { listItems, movedTo, type PlaceDocument } from "../../config/inputs/read-objects.ts";
import { entryPlace } from "../../config/value-places.ts";
import { readManifestYaml } from "../../config/yaml/read.ts";
import { isInRepository, type Position } from "../../model/problems/problem.ts";
import { pathKey } from "../../model/sources/trace.ts";
import {
  fieldNode,
  textOf,
  type YamlEntry,
  type YamlMap,
  type YamlNode,
} from "../../model/sources/yaml-node.ts";
import type { DocumentOrigin, DocumentOrigins, OriginSource } from "../../ports/render.ts";

/** The files of one root of a rendering: those of the repository, or those of a remote base. */
export interface OriginFiles {
  /** The text before a path in a place: empty for the repository, else `base@revision/`. */
  readonly display: string;
  has(path: string): boolean;
  text(path: string): string | undefined;
}

/** A step of a path. A list item also has its name, by which patches select it. */
interface DocumentStep {
  readonly key: string;
  readonly name?: string | undefined;
}

/** A field of a rendered document. */
interface RenderedField {
  readonly path: readonly DocumentStep[];
  readonly value: YamlNode;
}

/** A search for the line that wrote a field. */
interface Search extends Pick<DocumentOrigin, "kind" | "name"> {
  readonly field: RenderedField;
  /** Counts comparisons. */
  count(comparisons: number): void;
}

interface NamedObjects {
  readonly objects: readonly YamlNode[];
  readonly named: ReadonlyMap<string, readonly YamlNode[]>;
}

function objectName({ kind, name }: Pick<DocumentOrigin, "kind" | "name">): string {
  return `${kind} ${name}`;
}

const declared = -1;

/**
 * Returns a function that gives each part of a rendered document the place that wrote it: the line
 * of the manifest, of the patch, or of the field of a kustomization. A part without a known line
 * has the place of the nearest part around it. Without an origin, the place is `otherwise`, as for
 * the object itself if a remote base declares it.
 */
export function placeDocuments(
  { sources, documents }: DocumentOrigins,
  roots: readonly OriginFiles[],
  otherwise: Position,
): PlaceDocument {
  const files = new SourceFiles(roots);
  return (document, index, all) => {
    const origin = all.length === documents.length ? documents[index] : undefined;
    if (origin === undefined) return movedTo(otherwise, document);
    const writers = new Map(origin.fields.map(({ path, by }) => [pathKey(path), by]));
    const place = (field: RenderedField, by: number) => {
      const source = by === declared ? origin.declared : sources[by];
      // Problems of an object need a line of this repository.
      if (field.path.length === 0 && source?.root !== 0) return otherwise;
      return (source && files.place(source, origin, field)) ?? otherwise;
    };
    return placed(document, place, writers);
  };
}

/** Returns the place of an object in a remote base; undefined for an object of the repository. */
export function basePlace({ entries, where }: YamlMap): Position | undefined {
  const place = entries.find(({ name }) => name === "apiVersion")?.value.where;
  return place === undefined || place.file === where.file || isInRepository(place.file)
    ? undefined
    : place;
}

function placed(
  document: YamlNode,
  place: (field: RenderedField, by: number) => Position,
  writers: ReadonlyMap<string, number>,
): YamlNode {
  const visit = (value: YamlNode, path: readonly DocumentStep[], around: number): YamlNode => {
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

/**
 * The maximum number of comparisons for the places of one kustomization. A list can have thousands
 * of items. Further fields have the first line of their file.
 */
const maxComparisons = 5_000_000;

/** The files that wrote objects, each parsed once. */
class SourceFiles {
  readonly #roots: readonly OriginFiles[];
  readonly #parsed = new Map<string, readonly YamlNode[]>();
  readonly #objects = new Map<readonly YamlNode[], NamedObjects>();
  #comparisons = 0;

  constructor(roots: readonly OriginFiles[]) {
    this.#roots = roots;
  }

  place(source: OriginSource, origin: DocumentOrigin, field: RenderedField): Position | undefined {
    const { root, path } = source;
    const files = this.#roots[root];
    if (files === undefined) return undefined;
    const file = source.field === undefined ? path : kustomizationFile(files, path);
    if (file === undefined) return undefined;
    if (this.#comparisons > maxComparisons) return firstLine(files, file);
    const documents = this.#documents(files, root, file);
    const count = (comparisons: number) => {
      this.#comparisons += comparisons;
    };
    const search: Search = { ...origin, field, count };
    const found =
      source.field === undefined
        ? manifestPlace(documents, this.#named(documents), search)
        : kustomizationPlace(documents[0], source.field, search);
    return found ?? firstLine(files, file);
  }

  /** Returns the objects of the documents of a file by their names. */
  #named(documents: readonly YamlNode[]): NamedObjects {
    const known = this.#objects.get(documents);
    if (known !== undefined) return known;
    const objects = documents.flatMap(listItems);
    const named = Map.groupBy(objects, (node) =>
      objectName({ kind: textOf(node, "kind"), name: textOf(node, "metadata", "name") }),
    );
    this.#objects.set(documents, { objects, named });
    return { objects, named };
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
 * Returns the place of a field in a manifest or a patch. Undefined if the file has several objects
 * and none of them, or more than one, has the kind and the name of the object.
 */
function manifestPlace(
  documents: readonly YamlNode[],
  { objects, named }: NamedObjects,
  search: Search,
): Position | undefined {
  const [first, ...others] = documents;
  if (first?.kind === "list" && others.length === 0) return operationPlace(first.items, search);
  const [found, another] = named.get(objectName(search)) ?? objects;
  if (found === undefined || another !== undefined) return undefined;
  return deepestPlace(found, search.field.path, search);
}

type Counter = Pick<Search, "count">;

/** Returns the place of the last part of a path that exists. */
function deepestPlace(
  node: YamlNode,
  [step, ...rest]: readonly DocumentStep[],
  counter: Counter,
  around: Position = node.where,
): Position {
  if (step === undefined || node.kind === "scalar") return around;
  if (node.kind === "list") {
    const item = listItem(node.items, step, counter);
    return item === undefined ? around : deepestPlace(item, rest, counter);
  }
  counter.count(node.entries.length);
  const entry = node.entries.find(({ name }) => name === step.key);
  return entry === undefined ? around : deepestPlace(entry.value, rest, counter, entryPlace(entry));
}

/** Returns the item with the same name. An item without a name is found by its index. */
function listItem(
  items: readonly YamlNode[],
  { key, name = "" }: DocumentStep,
  { count }: Counter,
): YamlNode | undefined {
  if (name === "") return items[Number(key)];
  count(items.length);
  return items.find((each) => textOf(each, "name") === name);
}

/** Returns the place of the last operation of a JSON patch that writes a field. */
function operationPlace(
  operations: readonly YamlNode[],
  { field: { path }, count }: Search,
): Position | undefined {
  count(operations.length);
  const writes = (operation: YamlNode) => {
    const [, ...steps] = textOf(operation, "path").split("/");
    const names = steps.map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"));
    return names.every((name, i) => isSameStep(name, path[i]));
  };
  return (operations.findLast(writes) ?? operations[0])?.where;
}

/** Compares the indexes of list items as equal, because later changes move items. */
function isSameStep(name: string, step: DocumentStep | undefined): boolean {
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
  search: Search,
): Position | undefined {
  if (kustomization?.kind !== "map") return undefined;
  // One transformer adds the labels of both fields.
  const names = name === "labels" ? ["labels", "commonLabels"] : [name];
  const entries = kustomization.entries.filter((entry) => names.includes(entry.name));
  const places = entries.flatMap((entry) => entryPart(entry, name, search) ?? []);
  return places.length === 1 ? places[0] : entries[0]?.key.where;
}

/** Returns the part of an entry of a kustomization that can have written a field. */
function entryPart(entry: YamlEntry, name: string, search: Search): Position | undefined {
  const { value } = entry;
  const last = search.field.path.at(-1) ?? { key: "" };
  if (value.kind === "scalar") return entryPlace(entry);
  if (value.kind === "map")
    return fieldNode(value, last.key) && deepestPlace(value, [last], search);
  search.count(value.items.length);
  const found = value.items.filter((item) => canWrite(name, item, last.key, search));
  const [item, another] = value.items.length === 1 ? value.items : found;
  if (item === undefined) return undefined;
  return another === undefined ? itemPart(name, item, last, search) : entry.key.where;
}

/** Reports whether an item of a list of a kustomization can have written a field. */
function canWrite(name: string, item: YamlNode, last: string, search: Search): boolean {
  const { value } = search.field;
  switch (name) {
    case "patches":
    case "patchesJson6902":
      return canPatch(item, search);
    case "images":
      return value.kind === "scalar" && isImage(String(value.value), item);
    case "labels":
      return fieldNode(fieldNode(item, "pairs"), last) !== undefined;
    default:
      return textOf(item, "name") === search.name;
  }
}

/**
 * Reports whether a patch within a kustomization can select an object. Another kustomization can
 * have added a prefix or a suffix to its name.
 */
function canPatch(item: YamlNode, { kind, name }: Search): boolean {
  if (textOf(item, "path") !== "") return false;
  const selects = (selector: string, matches: boolean) =>
    selector === "" || /[^\w-]/.test(selector) || matches;
  const [ofKind, named] = [textOf(item, "target", "kind"), textOf(item, "target", "name")];
  return selects(ofKind, ofKind === kind) && selects(named, named.includes(name));
}

/** Reports whether an item of `images` gives this image. */
function isImage(image: string, item: YamlNode): boolean {
  const name = textOf(item, "newName") || textOf(item, "name");
  return image === name || image.startsWith(`${name}:`) || image.startsWith(`${name}@`);
}

/** The fields of an item that contain its value. The first one that exists counts. */
const valueFields = ["digest", "newTag", "newName", "count"];

function itemPart(name: string, item: YamlNode, last: DocumentStep, counter: Counter): Position {
  if (name === "labels") return deepestPlace(item, [{ key: "pairs" }, last], counter);
  const field = valueFields.find((each) => fieldNode(item, each) !== undefined);
  return field === undefined ? item.where : deepestPlace(item, [{ key: field }], counter);
}
