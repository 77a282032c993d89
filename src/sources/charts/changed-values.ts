import { fieldOf, isList, isObject, type Json, sameJson } from "../../model/json.ts";
import type { Position } from "../../model/problems/problem.ts";
import {
  type ChartValues,
  fileLine,
  type ReadValues,
  setLine,
  type ValueLine,
  type WrittenLine,
  withFileValue,
  withSetValue,
} from "./written-values.ts";

/** A value of a chart that can decide a changed field. */
export interface CandidateValue extends ValueLine {
  /** All values of the chart, with another value instead of this one. */
  readonly reverted: ChartValues;
}

/**
 * Returns the values of a chart that differ from those of an earlier commit, with their earlier
 * values. Values files are compared as objects. A list with another length is one value, because
 * its items have moved.
 */
export function changedValues(chart: ReadValues, before: ReadValues): readonly CandidateValue[] {
  return [...changedInFiles(chart, before), ...changedInSet(chart, before)];
}

function changedInFiles(chart: ReadValues, before: ReadValues): readonly CandidateValue[] {
  return chart.files.flatMap((file, index): readonly CandidateValue[] => {
    const other = before.files.find(({ name }) => name === file.name);
    const [now, earlier] = [file.values, other === undefined ? {} : other.values];
    if (now === undefined || earlier === undefined) return [];
    const changed = changedLeaves(now, earlier, []).map(
      (leaf): WrittenLeaf => ({
        ...leaf,
        line: fileLine(file, leaf.path),
      }),
    );
    const anchors = new Map(
      changed
        .filter(({ line }) => line.alias === undefined)
        .map((each) => [JSON.stringify(each.line.value), each]),
    );
    return changed.map(({ path, value, line }) => ({
      where: changedPlace(line, value, anchors.get(JSON.stringify(line.value))),
      from: line.from,
      reverted: withFileValue(chart, index, path, value),
    }));
  });
}

interface WrittenLeaf extends ChangedLeaf {
  readonly line: WrittenLine;
}

/**
 * Returns the changed line that sets a value. For an alias, this is the line of its anchor if the
 * anchor had the same earlier value. Otherwise, it is the line of the alias.
 */
function changedPlace(
  { where, alias }: WrittenLine,
  earlier: Json | undefined,
  anchor: WrittenLeaf | undefined,
): Position {
  if (alias === undefined) return where;
  const isOfAnchor = anchor !== undefined && sameJson(anchor.value, earlier);
  return isOfAnchor ? anchor.line.where : alias;
}

function changedInSet(chart: ReadValues, before: ReadValues): readonly CandidateValue[] {
  return chart.set.flatMap(({ path, value }): readonly CandidateValue[] => {
    const other = before.set.find((each) => each.path === path);
    if (other !== undefined && sameJson(other.value, value)) return [];
    const { where, from } = setLine(chart.entry, path);
    return [{ where, from, reverted: withSetValue(chart, path, other?.value) }];
  });
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
