import { fieldDifferences, formatFieldPath } from "../../model/fields/field-differences.ts";
import { type Json, textAt } from "../../model/json.ts";
import { nameFromKey, type ObjectId } from "../../model/object.ts";
import type { FieldChange, IgnoredField } from "../../model/plan/attribution.ts";
import type { Change } from "../../model/plan/plan.ts";
import { type Resource, resourceKey } from "../../model/sources/compilation.ts";
import { redactPair } from "../../redaction/redact.ts";
import type { DeploymentReport } from "../comment/comment-input.ts";
import { diffSuccession } from "../diff/live-diff.ts";
import { type ManifestDiff, manifestTextDiff, resourceTitle } from "../diff/manifest-diff.ts";
import { resourceContent } from "../diff/render-manifests.ts";
import type { TextDiff } from "../diff/text-diff.ts";
import { valueText } from "../text/value-text.ts";
import type { FindTrace, Trace } from "../trace/trace.ts";
import { notableField } from "./notable-changes.ts";
import type { Row, RowAction, RowField, RowIgnoredField } from "./row.ts";

export function foreignRows(
  manifests: readonly ManifestDiff[],
  report: TracedReport,
): readonly TracedRow[] {
  return manifests
    .filter((diff) => diff.resource.type === "foreign")
    .map((diff) => manifestRow(diff, report));
}

export function manifestRow(diff: ManifestDiff, report: TracedReport): TracedRow {
  const renamed = diff.type === "renamed" && diff.resource.type === "manifest";
  return {
    action: diff.resource.type === "foreign" ? "foreign" : manifestAction(diff),
    name: resourceTitle(diff.resource),
    succeeds: renamed ? resourceTitle(diff.before) : undefined,
    trace: report.findTrace(resourceKey(diff.resource)),
    note: manifestNote(diff),
    fields: manifestFields(diff),
    ignored: [],
    diff: manifestTextDiff(diff),
  };
}

function manifestAction(diff: ManifestDiff): RowAction {
  switch (diff.type) {
    case "added":
      return "create";
    case "renamed":
      return "rename";
    case "removed":
      return "delete";
    case "changed":
      return "update";
  }
}

function manifestNote(diff: ManifestDiff): string | undefined {
  if (diff.resource.type === "foreign") return `${diff.type}; qvs shows it but doesn't deploy it`;
  return diff.type === "removed" ? "no longer declared" : undefined;
}

function manifestFields(diff: ManifestDiff): Row["fields"] {
  if (diff.type === "added" || diff.type === "removed") return [];
  const foreign = diff.resource.type === "foreign";
  const shown = redactPair(resourceContent(diff.before), resourceContent(diff.resource), {
    foreign,
    hides: diff.hides,
  });
  const differences = fieldDifferences(shown.before, shown.after);
  return differences.map(({ path, before, after }) =>
    rowField({ path: formatFieldPath(path), before, after }),
  );
}

/** The input for the rows of a deployment. Some callers have only a plan. */
export type RowsInput = Pick<DeploymentReport, "head" | "base" | "plan" | "attributions"> &
  Partial<Pick<DeploymentReport, "blockers">>;

export type TracedReport = RowsInput & {
  readonly findTrace: FindTrace;
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

interface Predecessor {
  readonly key: string;
  readonly name: string;
  readonly diff: TextDiff | undefined;
  readonly fields: Row["fields"];
}

/**
 * Returns the object that a new object replaces, from the release records or from the two commits.
 */
export function findPredecessor(change: Change, report: TracedReport): Predecessor | undefined {
  if (change.live !== undefined || change.action !== "create") return undefined;
  const { plan, attributions, manifests } = report;
  const manifest = manifests.get(`${change.stage}/${change.resource}`);
  const declared = manifest?.type === "renamed" ? manifest : undefined;
  const deletion = declared && plan?.deletions.find(({ id }) => isNamed(declared.before, id));
  const succession = attributions?.successions.get(change.key);
  const key = succession?.predecessor ?? deletion?.key;
  if (key === undefined) return undefined;
  const fields = declared === undefined ? [] : manifestFields(declared);
  const diff =
    (declared && manifestTextDiff(declared)) ??
    (succession && diffSuccession(change, succession, plan?.hides));
  return { key, name: nameFromKey(key), diff, fields };
}

/** Reports whether a manifest has this name. Its namespace is optional: the deployment has one. */
function isNamed(resource: Resource, { kind, namespace, name }: ObjectId): boolean {
  if (resource.type !== "manifest" || resource.object.kind !== kind) return false;
  const declared = textAt(resource.object, "metadata", "namespace") ?? namespace;
  return textAt(resource.object, "metadata", "name") === name && declared === namespace;
}
