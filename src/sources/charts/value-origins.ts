import type { BoundChart } from "../../config/inputs/bind-chart.ts";
import { type Json, type JsonObject, sameJson, textAt } from "../../model/json.ts";
import { groupOf } from "../../model/object.ts";
import type { Change } from "../../model/plan/plan.ts";
import { distinct } from "../../model/problems/problem.ts";
import type { Compilation } from "../../model/sources/compilation.ts";
import { type FieldOrigin, pathKey } from "../../model/sources/trace.ts";
import {
  type ChangedField,
  fieldsChangedSince,
  fieldsUnlikeLive,
  type LiveField,
  valuePair,
} from "./changed-fields.ts";
import { type CandidateValue, changedValues } from "./changed-values.ts";
import { liveValues } from "./live-values.ts";
import {
  type ChartValues,
  readChartValues,
  type ValueLine,
  type WrittenValues,
} from "./written-values.ts";

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
 * with changed fields.
 */
const maxRenderings = 12;

/**
 * Adds the lines of values to the origins of the fields of charts that differ between two commits.
 * A template doesn't show which value it used. Therefore qvs renders the chart again with the
 * earlier value of one line and all other values of the newer commit. If a field then differs, this
 * line decides it. Fields of Secrets get no such lines.
 */
export function addValueOrigins(head: ChartCommit, base: ChartCommit): Promise<Compilation> {
  return addLines(head, (chart) => {
    const before = sameChart(chart, base.charts);
    const fields = fieldsChangedSince(base.compilation, chart, head.compilation);
    if (before === undefined || fields.length === 0) return undefined;
    const values = readChartValues(chart);
    const candidates = changedValues(values, readChartValues(before));
    const proof = { isDecided: differs, findsAll: true };
    return { fields, candidates, unchanged: values.comparable, ...proof };
  });
}

/**
 * Adds the lines of values to the origins of the fields of charts that a plan changes in live
 * objects. No earlier values are known. Therefore qvs tries the values that occur in a changed
 * field, with the live value instead. If the field then has its live value, this line decides it.
 */
export function addLiveValueOrigins(
  head: ChartCommit,
  changes: readonly Change[],
): Promise<Compilation> {
  return addLines(head, (chart) => {
    const fields = fieldsUnlikeLive(changes, chart, head.compilation);
    if (fields.length === 0) return undefined;
    const values = readChartValues(chart);
    const candidates = liveValues(values, fields);
    const proof = { isDecided: becomesLive, findsAll: false };
    return { fields, candidates, unchanged: values.comparable, ...proof };
  });
}

/** The changed fields of a chart, and the values that can decide them, most likely first. */
interface ChartQuestion<Field extends ChangedField> {
  readonly fields: readonly Field[];
  readonly candidates: readonly CandidateValue[];
  readonly unchanged: ChartValues;
  /** Reports whether the value of the field in another rendering proves the line. */
  readonly isDecided: (field: Field, other: Json | undefined) => boolean;
  /** False if one line explains a field completely. */
  readonly findsAll: boolean;
}

function differs({ value }: ChangedField, other: Json | undefined): boolean {
  return !sameJson(value, other);
}

function becomesLive({ live }: LiveField, other: Json | undefined): boolean {
  return sameJson(live, other);
}

/** The lines that decide a field, by resource and path. */
type FoundLines = Map<string, ValueLine[]>;

async function addLines<Field extends ChangedField>(
  { compilation, charts }: ChartCommit,
  ask: (chart: RepeatableChart) => ChartQuestion<Field> | undefined,
): Promise<Compilation> {
  const found: FoundLines = new Map();
  let left = maxRenderings;
  for (const chart of charts) {
    const question = left > 1 ? ask(chart) : undefined;
    const candidates = question?.candidates.slice(0, left - 1) ?? [];
    if (question === undefined || candidates.length === 0) continue;
    left -= await findLines(chart, { ...question, candidates }, found);
  }
  return found.size === 0 ? compilation : withLines(compilation, found);
}

function fieldKey({ resource, path }: Pick<ChangedField, "resource" | "path">): string {
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

/**
 * Renders the chart with each other value, and notes the fields that each line decides. Returns the
 * number of renderings.
 */
async function findLines<Field extends ChangedField>(
  chart: RepeatableChart,
  { fields, candidates, unchanged, isDecided, findsAll }: ChartQuestion<Field>,
  found: FoundLines,
): Promise<number> {
  const control = await chart.renderAgain(unchanged);
  if (control === undefined) return 1;
  for (const [index, line] of candidates.entries()) {
    const open = findsAll ? fields : fields.filter((field) => !found.has(fieldKey(field)));
    if (open.length === 0) return 1 + index;
    const objects = await chart.renderAgain(line.reverted);
    if (objects === undefined) continue;
    for (const field of open) {
      const pair = renderedPair(field, control, objects);
      if (pair === undefined || !sameJson(pair[0], field.value)) continue;
      if (!isDecided(field, pair[1])) continue;
      const key = fieldKey(field);
      found.set(key, [...(found.get(key) ?? []), line]);
    }
  }
  return 1 + candidates.length;
}

/** Returns the values of a field in two renderings; undefined if they can't be compared. */
function renderedPair(
  { object, path }: ChangedField,
  control: readonly JsonObject[],
  others: readonly JsonObject[],
): ReturnType<typeof valuePair> {
  const [one, other] = [findObject(object, control), findObject(object, others)];
  return one === undefined || other === undefined ? undefined : valuePair(one, other, path);
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

function withLines(compilation: Compilation, found: FoundLines): Compilation {
  const trace = compilation.trace?.map(({ resource, fields }) => ({
    resource,
    fields: fields.map((field) => {
      const lines = found.get(fieldKey({ resource, path: field.path }));
      return lines === undefined ? field : { ...field, origins: withPlaces(field.origins, lines) };
    }),
  }));
  return trace === undefined ? compilation : { ...compilation, trace };
}

function withPlaces(
  origins: readonly FieldOrigin[],
  lines: readonly ValueLine[],
): readonly FieldOrigin[] {
  const places = distinct(lines.map(({ where }) => where));
  const made = distinct(
    lines.flatMap(({ from, where }) => from.map((name) => ({ name, at: where }))),
  );
  return origins.map((origin, index) =>
    index === 0
      ? { ...origin, at: [...places, ...origin.at], made: [...origin.made, ...made] }
      : origin,
  );
}
