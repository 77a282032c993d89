import { compareLosses } from "../../model/cluster/recreation.ts";
import { diffCompilations } from "../diff/manifest-diff.ts";
import { resourceKey } from "../diff/manifests.ts";
import { type GivenParameters, givenParameters } from "../trace/given-parameters.ts";
import { tracesOf } from "../trace/trace.ts";
import { foreignRows, manifestRow } from "./manifest-row.ts";
import { planRows } from "./plan-rows.ts";
import { kindOf, type Row, rowActions } from "./row.ts";
import type { RowsInput, TracedReport, TracedRow } from "./traced-row.ts";

/** What happens to the objects of a deployment, and the arguments that its adapters are given in another way. */
export interface Changes {
  readonly rows: readonly Row[];
  readonly parameters: readonly GivenParameters[];
}

/** Against the cluster where there is a plan, else between the two commits. */
export function changesOf(reported: RowsInput): Changes {
  const { head, base, plan } = reported;
  const traceOf = head === undefined ? () => undefined : tracesOf(head, base);
  const diffs = head === undefined ? [] : diffCompilations(base, head);
  const manifests = new Map(diffs.map((diff) => [resourceKey(diff.resource), diff]));
  const report: TracedReport = { ...reported, traceOf, manifests };
  const traced =
    plan === undefined
      ? diffs.map((diff) => manifestRow(diff, report))
      : [...planRows(plan, report), ...foreignRows(diffs, report)];
  const rows = traced.toSorted(compareRows);
  const parameters = givenParameters(rows.flatMap(({ trace }) => trace?.changed ?? []));
  return { rows: rows.map(withNames), parameters };
}

type Named = Pick<Row, "action" | "name">;

/** Of what is deleted, what is missed most comes first: a reader may stop early. */
function compareRows(a: Named, b: Named): number {
  const byAction = rowActions.indexOf(a.action) - rowActions.indexOf(b.action);
  if (byAction !== 0 || a.action !== "delete") return byAction;
  return compareLosses(kindOf(a.name), kindOf(b.name));
}

/** Every row has the names of the arguments that reached it; their values are told once. */
function withNames({ trace, ...row }: TracedRow): Row {
  if (trace === undefined) return row;
  const changed = [...new Set(trace.changed.map(({ name }) => name))];
  return { ...row, trace: { ...trace, changed } };
}
