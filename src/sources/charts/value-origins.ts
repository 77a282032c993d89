import type { BoundChart } from "../../config/inputs/bind-chart.ts";
import {
  fieldOf,
  isList,
  isObject,
  type Json,
  type JsonObject,
  sameJson,
  textAt,
} from "../../model/json.ts";
import { groupOf } from "../../model/object.ts";
import type { Compilation, LayoutNode, Resource } from "../../model/sources/compilation.ts";
import { resourceKey } from "../../model/sources/compilation.ts";
import {
  type FieldOrigin,
  type FieldTrace,
  leafEntries,
  pathKey,
} from "../../model/sources/trace.ts";
import { isSensitiveObject } from "../../redaction/sensitive-object.ts";
import {
  type ChangedValue,
  type ChartValues,
  changedValues,
  comparableValues,
  type WrittenValues,
} from "./changed-values.ts";

/** A rendered chart of a config. */
export interface RepeatableChart extends WrittenValues {
  readonly bound: BoundChart;
  /**
   * Renders the chart with other values and everything else as before. Returns undefined if that
   * fails, or if chance or the time decides about its objects.
   */
  renderAgain(values: ChartValues): Promise<readonly JsonObject[] | undefined>;
}

/** A compilation, and the charts that it contains. */
interface ChartCommit {
  readonly compilation: Compilation;
  readonly charts: readonly RepeatableChart[];
}

/**
 * The maximum number of renderings for one deployment. Only previews make them, and only for charts
 * whose values and objects both changed.
 */
const maxRenderings = 12;

/**
 * Adds the lines of values to the origins of the fields of charts that differ between two commits.
 * A template doesn't show which value it used. Therefore qvs renders the chart again with the
 * earlier value of one line and all other values of the newer commit. If a field then differs, this
 * line decides it. Fields of Secrets get no such lines.
 */
export async function addValueOrigins(head: ChartCommit, base: ChartCommit): Promise<Compilation> {
  const { compilation } = head;
  const found: ChangedValues = new Map();
  let left = maxRenderings;
  for (const chart of head.charts) {
    const fields = changedFields(chart, compilation, base.compilation);
    const before = sameChart(chart, base.charts);
    if (fields.length === 0 || before === undefined) continue;
    const changed = changedValues(chart, before).slice(0, Math.max(0, left - 1));
    if (changed.length === 0) continue;
    left -= changed.length + 1;
    await findLines(chart, changed, fields, found);
  }
  return found.size === 0 ? compilation : withLines(compilation, found);
}

/** A field of a chart that differs from that of the earlier commit. */
interface ChangedField {
  readonly resource: string;
  readonly object: JsonObject;
  readonly path: readonly string[];
  readonly value: Json;
}

/** The lines that decide a field, by resource and path. */
type ChangedValues = Map<string, ChangedValue[]>;

function fieldKey(resource: string, path: readonly string[]): string {
  return pathKey([resource, ...path]);
}

/** Returns the same chart of the earlier commit, if exactly one entry can be it. */
function sameChart(
  { entry: { written }, bound }: RepeatableChart,
  charts: readonly RepeatableChart[],
): RepeatableChart | undefined {
  const alike = charts.filter(
    (each) => each.entry.written === written && each.bound.release === bound.release,
  );
  return alike.length === 1 ? alike[0] : undefined;
}

function changedFields(
  chart: RepeatableChart,
  { resources, layout, trace = [] }: Compilation,
  base: Compilation,
): readonly ChangedField[] {
  const earlier = new Map(base.resources.map((each) => [resourceKey(each), each]));
  const now = new Map(resources.map((each) => [resourceKey(each), each]));
  return trace.flatMap(({ resource, fields }) => {
    const [object, before] = [objectOf(now.get(resource)), objectOf(earlier.get(resource))];
    if (object === undefined || before === undefined || isSensitiveObject(object)) return [];
    const own = new Set(
      fields.filter((field) => isWrittenBy(chart, field, layout)).map(({ path }) => pathKey(path)),
    );
    if (own.size === 0) return [];
    const old = new Map(leafEntries(before).map(([path, value]) => [pathKey(path), value]));
    return leafEntries(object).flatMap(([path, value]) =>
      own.has(pathKey(path)) && !sameJson(old.get(pathKey(path)), value)
        ? [{ resource, object, path, value }]
        : [],
    );
  });
}

function objectOf(resource: Resource | undefined): JsonObject | undefined {
  return resource?.type === "manifest" ? resource.object : undefined;
}

/** Reports whether a chart is the only origin of a field. */
function isWrittenBy(chart: RepeatableChart, { origins }: FieldTrace, layout: LayoutNode): boolean {
  return origins.every(({ node: [index = -1] }) => isNodeOf(chart, layout.composites[index]));
}

function isNodeOf({ entry: { where } }: RepeatableChart, node: LayoutNode | undefined): boolean {
  const use = node?.use;
  return use?.file === where.file && use.line === where.line && use.column === where.column;
}

/** Renders the chart with each earlier value, and notes the fields that then differ. */
async function findLines(
  chart: RepeatableChart,
  changed: readonly ChangedValue[],
  fields: readonly ChangedField[],
  found: ChangedValues,
): Promise<void> {
  const control = await chart.renderAgain(comparableValues(chart.bound));
  if (control === undefined) return;
  for (const value of changed) {
    const objects = await chart.renderAgain(value.reverted);
    if (objects === undefined) continue;
    for (const field of fields) {
      if (!differs(field, control, objects)) continue;
      const key = fieldKey(field.resource, field.path);
      found.set(key, [...(found.get(key) ?? []), value]);
    }
  }
}

/**
 * Reports whether a field has another value with other values of the chart. A field in a list with
 * other items isn't compared, because another item can have its index.
 */
function differs(
  { object, path, value }: ChangedField,
  control: readonly JsonObject[],
  others: readonly JsonObject[],
): boolean {
  const [one, other] = [findObject(object, control), findObject(object, others)];
  if (one === undefined || other === undefined) return false;
  const pair = leafPair(one, other, path);
  return pair !== undefined && sameJson(pair[0], value) && !sameJson(pair[1], value);
}

/** Returns the rendered object of a resource. The entry can have given it a namespace. */
function findObject(object: JsonObject, rendered: readonly JsonObject[]): JsonObject | undefined {
  const found = rendered.filter((each) => {
    const namespace = textAt(each, "metadata", "namespace");
    return (
      identity(each) === identity(object) &&
      (namespace === undefined || namespace === textAt(object, "metadata", "namespace"))
    );
  });
  return found.length === 1 ? found[0] : undefined;
}

function identity(object: JsonObject): string {
  const group = groupOf(textAt(object, "apiVersion") ?? "");
  return JSON.stringify([group, textAt(object, "kind"), textAt(object, "metadata", "name")]);
}

type ValuePair = readonly [Json | undefined, Json | undefined];

/** Returns the values at a path in two objects; undefined if a list on it has other items. */
function leafPair(
  one: Json | undefined,
  other: Json | undefined,
  [step, ...rest]: readonly string[],
): ValuePair | undefined {
  if (step === undefined) return [one, other];
  if (isList(one)) {
    if (isList(other) && !hasSameItems(one, other)) return undefined;
    return leafPair(one[Number(step)], isList(other) ? other[Number(step)] : undefined, rest);
  }
  const field = (value: Json | undefined) => (isObject(value) ? fieldOf(value, step) : undefined);
  return leafPair(field(one), field(other), rest);
}

function hasSameItems(one: readonly Json[], other: readonly Json[]): boolean {
  return (
    one.length === other.length &&
    one.every((item, index) => textAt(item, "name") === textAt(other[index], "name"))
  );
}

function withLines(compilation: Compilation, found: ChangedValues): Compilation {
  const trace = compilation.trace?.map(({ resource, fields }) => ({
    resource,
    fields: fields.map((field) => {
      const lines = found.get(fieldKey(resource, field.path));
      return lines === undefined ? field : { ...field, origins: addLines(field.origins, lines) };
    }),
  }));
  return trace === undefined ? compilation : { ...compilation, trace };
}

function addLines(
  origins: readonly FieldOrigin[],
  lines: readonly ChangedValue[],
): readonly FieldOrigin[] {
  const places = lines.map(({ where }) => where);
  const made = lines.flatMap(({ from, where }) => from.map((name) => ({ name, at: where })));
  return origins.map((origin, index) =>
    index === 0
      ? { ...origin, at: [...places, ...origin.at], made: [...origin.made, ...made] }
      : origin,
  );
}
