import { compareLosses } from "../../model/cluster/change-effects.ts";
import { resourceKey } from "../../model/sources/compilation.ts";
import { diffCompilations } from "../diff/manifest-diff.ts";
import { type ChangedArguments, listChangedArguments } from "../trace/changed-arguments.ts";
import { createTracer } from "../trace/trace.ts";
import {
  foreignRows,
  manifestRow,
  type RowsInput,
  type TracedReport,
  type TracedRow,
} from "./manifest-row.ts";
import { planRows } from "./plan-rows.ts";
import { type Row, rowActions, rowKind } from "./row.ts";

/** The affected objects of a deployment, and the changed arguments of its adapters. */
export interface Changes {
  readonly rows: readonly Row[];
  readonly parameters: readonly ChangedArguments[];
}

/** Returns the changes to the cluster if there is a plan, otherwise between the two commits. */
export function buildChanges(reported: RowsInput): Changes {
  const { head, base, plan } = reported;
  const findTrace = head === undefined ? () => undefined : createTracer(head, base);
  const diffs = head === undefined ? [] : diffCompilations(base, head);
  const manifests = new Map(diffs.map((diff) => [resourceKey(diff.resource), diff]));
  const report: TracedReport = { ...reported, findTrace, manifests };
  const traced =
    plan === undefined
      ? diffs.map((diff) => manifestRow(diff, report))
      : [...planRows(plan, report), ...foreignRows(diffs, report)];
  const rows = traced.toSorted(compareRows);
  const parameters = listChangedArguments(rows.flatMap(({ trace }) => trace?.changed ?? []));
  return { rows: rows.map(withNames), parameters };
}

type SortedRow = Pick<Row, "action" | "name">;

/**
 * Compares rows by action. The most serious deletions are first, because a reader can stop early.
 */
function compareRows(a: SortedRow, b: SortedRow): number {
  const byAction = rowActions.indexOf(a.action) - rowActions.indexOf(b.action);
  if (byAction !== 0 || a.action !== "delete") return byAction;
  return compareLosses(rowKind(a.name), rowKind(b.name));
}

/** Replaces the arguments in a row's trace with their names. The comment shows the values once. */
function withNames({ trace, ...row }: TracedRow): Row {
  if (trace === undefined) return row;
  const changed = [...new Set(trace.changed.map(({ name }) => name))];
  return { ...row, trace: { ...trace, changed } };
}
