import type { FieldChange, IgnoredField } from "../../model/attribution.ts";
import type { Json } from "../../model/json.ts";
import type { DeploymentReport } from "../comment/comment-input.ts";
import type { ManifestDiff } from "../diff/manifest-diff.ts";
import { valueText } from "../text/value-text.ts";
import type { Trace } from "../trace/trace.ts";
import { notableField } from "./notable-changes.ts";
import type { Row, RowAction, RowField, RowIgnoredField } from "./row.ts";

/** The input for the rows of a deployment. Some callers have only a plan. */
export type RowsInput = Pick<DeploymentReport, "head" | "base" | "plan" | "attributions"> &
  Partial<Pick<DeploymentReport, "blockers">>;

export type TracedReport = RowsInput & {
  readonly findTrace: (resource: string) => Trace | undefined;
  readonly manifests: ReadonlyMap<string, ManifestDiff>;
};

export type TracedRow = Omit<Row, "trace"> & { readonly trace?: Trace | undefined };

export function plainRow(action: RowAction, name: string, note: string): TracedRow {
  return { action, name, note, fields: [], ignored: [], harmless: true };
}
export function rowField(
  field: Pick<FieldChange, "path" | "before" | "after"> & Partial<FieldChange>,
): RowField {
  const { path, source, by, before, after } = field;
  const isFilledIn = source === "server" && before === undefined && after !== undefined;
  return {
    ...{ path, source, by, wasSet: before !== undefined, notable: notableField(field) },
    ...(isFilledIn ? { filledIn: valueText(after) } : {}),
  };
}

export function ignoredField({ path, live, declared }: IgnoredField): RowIgnoredField {
  const text = (value: Json | undefined) => (value === undefined ? undefined : valueText(value));
  return { path, live: text(live), declared: text(declared) };
}
