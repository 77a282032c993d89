import type { BoundChart, ValuesText } from "../../config/inputs/bind-chart.ts";
import type { ParsedChart } from "../../config/inputs/parsed-input.ts";
import { soleReference } from "../../config/param-references.ts";
import { toJson } from "../../config/read-typed.ts";
import { entryPlace, usedNames } from "../../config/value-places.ts";
import { readManifestYaml } from "../../config/yaml/read.ts";
import { fieldOf, isList, isObject, type Json, withoutField } from "../../model/json.ts";
import type { Position } from "../../model/problems/problem.ts";
import type { YamlEntry, YamlMap, YamlNode } from "../../model/sources/yaml-node.ts";

/** Everything that sets values of a chart. */
export type ChartValues = Pick<BoundChart, "values" | "set">;

/** The values of a chart, as written and with `$(params.…)` replaced. */
export interface WrittenValues {
  readonly entry: ParsedChart;
  readonly texts: readonly ValuesText[];
  readonly bound: ChartValues;
}

/** The values of a chart, with each file read once. */
export interface ReadValues {
  readonly entry: ParsedChart;
  readonly files: readonly ValuesFile[];
  readonly set: ChartValues["set"];
  /** All values in the form of `withFileValue`, so that only values can differ. */
  readonly comparable: ChartValues;
}

/** A values file. */
interface ValuesFile {
  readonly name: string;
  /** Undefined if qvs can't be sure to read the file as Helm does. */
  readonly values: Json | undefined;
  /** The file as written, with references to parameters. */
  readonly written: YamlNode | undefined;
}

export function readChartValues({ entry, texts, bound }: WrittenValues): ReadValues {
  const files = bound.values.map((file, index): ValuesFile => {
    const [node, text] = [readValuesFile(file), texts[index]];
    const written = text === undefined || text === file ? node : readValuesFile(text);
    return { name: file.name, values: node && toJson(node), written: text && written };
  });
  const values = bound.values.map((file, index) => {
    const read = files[index]?.values;
    return read === undefined ? file : { ...file, text: JSON.stringify(read) };
  });
  return { entry, files, set: bound.set, comparable: { values, set: bound.set } };
}

/**
 * Reads a values file as Helm does: it merges the documents. Returns undefined for any other
 * content.
 */
function readValuesFile({ name, text }: ValuesText): YamlMap | undefined {
  const read = readManifestYaml(name, text);
  if (!read.ok || (read.value.length > 1 && otherSeparator.test(text))) return undefined;
  const documents = read.value.filter((node) => node.kind !== "scalar" || node.value !== null);
  const maps = documents.filter((node) => node.kind === "map");
  if (maps.length < documents.length) return undefined;
  const where = { file: name, line: 1, column: 1 };
  return maps.reduce(mergeMaps, { kind: "map", entries: [], where });
}

/** Ends of documents at which Helm doesn't split a file. It ignores the documents after them. */
const otherSeparator = /^(?:\.\.\.|---[^\S\n]*[^\s#])/m;

/** Merges the objects of two documents. Of other values, the second counts. */
function mergeMaps(one: YamlMap, other: YamlMap): YamlMap {
  const entries = new Map(aliasedEntries(one).map((entry) => [entry.name, entry]));
  for (const entry of aliasedEntries(other)) {
    const before = entries.get(entry.name)?.value;
    const { value } = entry;
    const isMerged = before?.kind === "map" && value.kind === "map";
    entries.set(entry.name, isMerged ? { ...entry, value: mergeMaps(before, value) } : entry);
  }
  return { kind: "map", entries: [...entries.values()], where: other.where };
}

/** Returns the entries of an object. Those of an alias are like those of a merge key. */
function aliasedEntries({ entries, alias }: YamlMap): readonly YamlEntry[] {
  return alias === undefined ? entries : entries.map((entry) => ({ ...entry, merged: alias }));
}

/** Returns all values, with another value at a path of a file, or without it. */
export function withFileValue(
  { files, comparable: { values, set } }: ReadValues,
  index: number,
  path: readonly string[],
  value: Json | undefined,
): ChartValues {
  const [file, now] = [values[index], files[index]?.values];
  if (file === undefined || now === undefined) return { values, set };
  const text = JSON.stringify(withValue(now, path, value));
  return { values: values.with(index, { ...file, text }), set };
}

/** Returns an object with another value at a path, or without it. */
function withValue(
  object: Json,
  [step, ...rest]: readonly string[],
  value: Json | undefined,
): Json | undefined {
  if (step === undefined) return value;
  if (isList(object))
    return object.map((item, i) =>
      String(i) === step ? (withValue(item, rest, value) ?? null) : item,
    );
  if (!isObject(object)) return object;
  const inner = withValue(fieldOf(object, step) ?? null, rest, value);
  return inner === undefined ? withoutField(object, step) : { ...object, [step]: inner };
}

/** Returns all values, with another value for a path of `set`, or without it. */
export function withSetValue(
  { comparable: { values, set } }: ReadValues,
  path: string,
  value: Json | undefined,
): ChartValues {
  const other = value === undefined ? [] : [{ path, value }];
  return { values, set: set.flatMap((each) => (each.path === path ? other : [each])) };
}

/** The line that sets a value, and the parameters of the config in it. */
export interface ValueLine {
  readonly where: Position;
  readonly from: readonly string[];
}

/** A line, and the alias or merge key that inserts its value at another place. */
export interface WrittenLine extends ValueLine {
  /** The place of the value itself. */
  readonly value: Position | undefined;
  readonly alias: Position | undefined;
}

/** Returns the line of a value in a file. The line of an alias is that of its anchor. */
export function fileLine({ name, written }: ValuesFile, path: readonly string[]): WrittenLine {
  return writtenLine(written, path, { file: name, line: 1, column: 1 });
}

/** Returns the line of a value of `set`. */
export function setLine({ set, where }: ParsedChart, path: string): WrittenLine {
  return writtenLine(set, [path], where);
}

/**
 * A list into which a parameter inserts items has other indexes, so all of its items have the line
 * of the list.
 */
function writtenLine(
  node: YamlNode | undefined,
  [step, ...rest]: readonly string[],
  around: Position,
  outer?: Position,
): WrittenLine {
  const alias = outer ?? node?.alias;
  const end = { where: around, value: node?.where, alias };
  if (node === undefined || step === undefined || node.kind === "scalar")
    return { ...end, from: node === undefined ? [] : usedNames(node) };
  if (node.kind === "map") {
    const entry = node.entries.find(({ name }) => name === step);
    if (entry === undefined) return { ...end, from: [] };
    const { value, merged } = entry;
    const where = value.alias === undefined ? entryPlace(entry) : value.where;
    return writtenLine(value, rest, where, alias ?? merged);
  }
  const item = node.items[Number(step)];
  return item === undefined || node.items.some(insertsItems)
    ? { ...end, from: node.items.flatMap(usedNames) }
    : writtenLine(item, rest, item.where, alias);
}

function insertsItems(item: YamlNode): boolean {
  if (item.kind !== "scalar" || typeof item.value !== "string") return false;
  return soleReference(item.value)?.splice === true;
}
