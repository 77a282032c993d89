import {
  fieldOf,
  isList,
  isObject,
  type Json,
  type JsonObject,
  sameJson,
  textAt,
} from "../../model/json.ts";
import type { Change } from "../../model/plan/plan.ts";
import type { Compilation, LayoutNode, Resource } from "../../model/sources/compilation.ts";
import { resourceKey } from "../../model/sources/compilation.ts";
import { type FieldTrace, leafEntries, pathKey } from "../../model/sources/trace.ts";
import { isSensitiveObject } from "../../redaction/sensitive-object.ts";
import type { WrittenValues } from "./written-values.ts";

/** A field of a chart that differs from that of an earlier commit or of the live object. */
export interface ChangedField {
  /** `stage/id`. */
  readonly resource: string;
  readonly object: JsonObject;
  readonly path: readonly string[];
  readonly value: Json;
}

/** A field that differs from that of the live object. */
export interface LiveField extends ChangedField {
  /** The live value; undefined if the live object lacks the field. */
  readonly live: Json | undefined;
}

/** The entry of a config that names a chart. */
type ChartEntry = Pick<WrittenValues, "entry">;

/** Returns the fields of a chart that differ from those of an earlier commit, except of Secrets. */
export function fieldsChangedSince(
  base: Compilation,
  chart: ChartEntry,
  compilation: Compilation,
): readonly ChangedField[] {
  const earlier = new Map(base.resources.map((each) => [resourceKey(each), each]));
  return chartObjects(chart, compilation).flatMap(({ resource, object, fields }) => {
    const before = objectOf(earlier.get(resource));
    if (before === undefined) return [];
    const old = new Map(leafEntries(before).map(([path, value]) => [pathKey(path), value]));
    return fields.flatMap(([path, value]) =>
      sameJson(old.get(pathKey(path)), value) ? [] : [{ resource, object, path, value }],
    );
  });
}

/** Returns the fields of a chart that a plan changes in live objects, except of Secrets. */
export function fieldsUnlikeLive(
  changes: readonly Change[],
  chart: ChartEntry,
  compilation: Compilation,
): readonly LiveField[] {
  const planned = new Map<string, Change>(
    changes.map((change) => [`${change.stage}/${change.resource}`, change]),
  );
  return chartObjects(chart, compilation).flatMap(({ resource, object, fields }) => {
    const { action, live, predicted = object } = planned.get(resource) ?? {};
    if (live === undefined || action === "unchanged") return [];
    return fields.flatMap(([path, value]): readonly LiveField[] => {
      const before = valuePair(object, live, path);
      const after = valuePair(object, predicted, path);
      if (before === undefined || after === undefined) return [];
      const isChanged = !sameJson(before[1], value) && !sameJson(before[1], after[1]);
      return isChanged ? [{ resource, object, path, value, live: before[1] }] : [];
    });
  });
}

interface ChartObject {
  readonly resource: string;
  readonly object: JsonObject;
  /** The leaves that only the chart sets. */
  readonly fields: ReturnType<typeof leafEntries>;
}

function chartObjects(
  chart: ChartEntry,
  { resources, layout, trace = [] }: Compilation,
): readonly ChartObject[] {
  const now = new Map(resources.map((each) => [resourceKey(each), each]));
  return trace.flatMap(({ resource, fields }) => {
    const object = objectOf(now.get(resource));
    if (object === undefined || isSensitiveObject(object)) return [];
    const own = new Set(
      fields.filter((field) => isWrittenBy(chart, field, layout)).map(({ path }) => pathKey(path)),
    );
    if (own.size === 0) return [];
    const leaves = leafEntries(object).filter(([path]) => own.has(pathKey(path)));
    return [{ resource, object, fields: leaves }];
  });
}

function objectOf(resource: Resource | undefined): JsonObject | undefined {
  return resource?.type === "manifest" ? resource.object : undefined;
}

/** Reports whether a chart is the only origin of a field. */
function isWrittenBy(chart: ChartEntry, { origins }: FieldTrace, layout: LayoutNode): boolean {
  return origins.every(({ node: [index = -1] }) => isNodeOf(chart, layout.composites[index]));
}

function isNodeOf({ entry: { where } }: ChartEntry, node: LayoutNode | undefined): boolean {
  const use = node?.use;
  return use?.file === where.file && use.line === where.line && use.column === where.column;
}

type ValuePair = readonly [Json | undefined, Json | undefined];

/**
 * Returns the values at a path in two objects; undefined if a list on it has other items, because
 * another item can have the index.
 */
export function valuePair(
  one: Json | undefined,
  other: Json | undefined,
  [step, ...rest]: readonly string[],
): ValuePair | undefined {
  if (step === undefined) return [one, other];
  if (isList(one)) {
    if (isList(other) && !hasSameItems(one, other)) return undefined;
    return valuePair(one[Number(step)], isList(other) ? other[Number(step)] : undefined, rest);
  }
  const field = (value: Json | undefined) => (isObject(value) ? fieldOf(value, step) : undefined);
  return valuePair(field(one), field(other), rest);
}

function hasSameItems(one: readonly Json[], other: readonly Json[]): boolean {
  return (
    one.length === other.length &&
    one.every((item, index) => textAt(item, "name") === textAt(other[index], "name"))
  );
}
