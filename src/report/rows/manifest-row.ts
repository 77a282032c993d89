import { resourceKey } from "../../model/compilation.ts";
import { fieldDifferences, formatFieldPath } from "../../model/fields/field-differences.ts";
import { redactPair } from "../../redaction/redact.ts";
import { type ManifestDiff, manifestTextDiff, resourceTitle } from "../diff/manifest-diff.ts";
import { resourceContent } from "../diff/render-manifests.ts";
import type { Row, RowAction } from "./row.ts";
import { rowField, type TracedReport, type TracedRow } from "./traced-row.ts";

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

export function manifestFields(diff: ManifestDiff): Row["fields"] {
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
