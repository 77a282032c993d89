import type { BoundChart, ValuesText } from "../../config/inputs/bind-chart.ts";
import type { ParsedChart } from "../../config/inputs/parsed-input.ts";
import { soleReference } from "../../config/param-references.ts";
import { toJson } from "../../config/read-typed.ts";
import { entryPlace, usedNames } from "../../config/value-places.ts";
import { readManifestYaml } from "../../config/yaml/read.ts";
import { fieldOf, isList, isObject, type Json, sameJson, withoutField } from "../../model/json.ts";
import type { Position } from "../../model/problems/problem.ts";
import type { YamlNode } from "../../model/sources/yaml-node.ts";

/** Everything that sets values of a chart. */
export type ChartValues = Pick<BoundChart, "values" | "set">;

/** The values of a chart, as written and with `$(params.…)` replaced. */
export interface WrittenValues {
  readonly entry: ParsedChart;
  readonly texts: readonly ValuesText[];
  readonly bound: ChartValues;
}

/** A value that differs from that of an earlier commit. */
export interface ChangedValue extends ValueLine {
  /** All values of the newer commit, except this one. */
  readonly reverted: ChartValues;
}

/** The line that sets a value, and the parameters of the config in it. */
interface ValueLine {
  readonly where: Position;
  readonly from: readonly string[];
}

/**
 * Returns the values of a chart that differ from those of an earlier commit. Values files are
 * compared as objects. A list with another length is one value, because its items have moved. A
 * file with several documents isn't compared.
 */
export function changedValues(
  chart: WrittenValues,
  before: Pick<WrittenValues, "bound">,
): readonly ChangedValue[] {
  return [...changedInFiles(chart, before.bound), ...changedInSet(chart, before.bound)];
}

/** Returns the values in the form of the reverted ones, so that only values can differ. */
export function comparableValues({ values, set }: ChartValues): ChartValues {
  const texts = values.map((file) => {
    const value = valuesOf(file);
    return value === undefined ? file : { ...file, text: JSON.stringify(value) };
  });
  return { values: texts, set };
}

function changedInFiles({ texts, bound }: WrittenValues, before: ChartValues) {
  const { values, set } = comparableValues(bound);
  return bound.values.flatMap((file, index): readonly ChangedValue[] => {
    const other = before.values.find(({ name }) => name === file.name);
    const [now, earlier] = [valuesOf(file), other === undefined ? {} : valuesOf(other)];
    if (now === undefined || earlier === undefined) return [];
    const written = documentOf(texts[index]);
    return changedLeaves(now, earlier, []).map(({ path, value }) => ({
      ...valueLine(written, path, { file: file.name, line: 1, column: 1 }),
      reverted: {
        values: values.with(index, { ...file, text: JSON.stringify(withValue(now, path, value)) }),
        set,
      },
    }));
  });
}

function changedInSet({ entry, bound }: WrittenValues, before: ChartValues) {
  const { values, set } = comparableValues(bound);
  return set.flatMap((single): readonly ChangedValue[] => {
    const other = before.set.find(({ path }) => path === single.path);
    if (other !== undefined && sameJson(other.value, single.value)) return [];
    const reverted = set.flatMap((each) => (each === single ? (other ?? []) : each));
    return [
      { ...valueLine(entry.set, [single.path], entry.where), reverted: { values, set: reverted } },
    ];
  });
}

/** Returns the only document of a values file as an object; undefined for any other file. */
function valuesOf(file: ValuesText): Json | undefined {
  const read = readManifestYaml(file.name, file.text);
  if (!read.ok || read.value.length > 1) return undefined;
  const [document] = read.value;
  const value = document === undefined ? null : toJson(document);
  if (value === null) return {};
  return isObject(value) ? value : undefined;
}

function documentOf(file: ValuesText | undefined): YamlNode | undefined {
  const read = file && readManifestYaml(file.name, file.text);
  return read?.ok ? read.value[0] : undefined;
}

interface ChangedLeaf {
  readonly path: readonly string[];
  /** The earlier value; undefined if it wasn't set. */
  readonly value: Json | undefined;
}

function changedLeaves(
  now: Json,
  earlier: Json | undefined,
  path: readonly string[],
): readonly ChangedLeaf[] {
  if (sameJson(now, earlier)) return [];
  if (isObject(now) && Object.keys(now).length > 0 && (earlier === undefined || isObject(earlier)))
    return Object.entries(now).flatMap(([name, value]) =>
      changedLeaves(value, earlier && fieldOf(earlier, name), [...path, name]),
    );
  if (isList(now) && isList(earlier) && now.length === earlier.length)
    return now.flatMap((value, index) =>
      changedLeaves(value, earlier[index], [...path, String(index)]),
    );
  return [{ path, value: earlier }];
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

/**
 * Returns the line of a value in the written file. A list into which a parameter inserts items has
 * other indexes, so all of its items have the line of the list.
 */
function valueLine(
  node: YamlNode | undefined,
  [step, ...rest]: readonly string[],
  around: Position,
): ValueLine {
  if (node === undefined || step === undefined || node.kind === "scalar")
    return { where: around, from: node === undefined ? [] : usedNames(node) };
  if (node.kind === "map") {
    const entry = node.entries.find(({ name }) => name === step);
    return entry === undefined
      ? { where: around, from: [] }
      : valueLine(entry.value, rest, entryPlace(entry));
  }
  const item = node.items[Number(step)];
  return item === undefined || node.items.some(insertsItems)
    ? { where: around, from: node.items.flatMap(usedNames) }
    : valueLine(item, rest, item.where);
}

function insertsItems(item: YamlNode): boolean {
  if (item.kind !== "scalar" || typeof item.value !== "string") return false;
  return soleReference(item.value)?.splice === true;
}
