import { holdsSecrets } from "../model/apply-time-reference.ts";
import { listed } from "../model/closest.ts";
import type { Resource } from "../model/compilation.ts";
import { textAt } from "../model/json.ts";
import { nameOf, type ObjectId } from "../model/object.ts";
import type { Change, ChangeAction, Deletion, Plan } from "../model/plan.ts";
import type { DeploymentReport } from "./comment/comment-input.ts";
import { plural } from "./counts.ts";
import { diffChange } from "./diff/live-diff.ts";
import { diffCompilations, type ManifestDiff, titleOf } from "./diff/manifest-diff.ts";
import { referredChanges } from "./diff/referred-changes.ts";
import { isRelabelled, relabelled } from "./diff/relabelled.ts";
import type { TextDiff } from "./diff/text-diff.ts";
import { resourceKey } from "./manifests.ts";
import { whyRetired } from "./plan-text.ts";
import { type Trace, tracesOf } from "./trace/trace.ts";

/** One object of a deployment that a reader should look at: what happens to it, why, and how sure that is. */
export interface Row {
  readonly action: RowAction;
  readonly name: string;
  readonly certainty: string;
  readonly trace: Trace | undefined;
  /** Said instead of a trace, e.g. why an object stays. */
  readonly note: string | undefined;
  readonly diff: TextDiff | undefined;
  /** For how many objects the row stands; undefined for one. */
  readonly objects?: number | undefined;
  /** Deleted only because its successor took over: the routine end of a hash-suffixed ConfigMap, no reason to worry. */
  readonly superseded: boolean;
}

export type RowAction = Exclude<ChangeAction, "unchanged"> | "delete" | "keep" | "foreign";

const mostReferred = 3;

/** Dangerous first, then what is new, then what changes. */
const attention: readonly RowAction[] = [
  "delete",
  "replace",
  "create",
  "update",
  "keep",
  "foreign",
];

type TracedReport = DeploymentReport & {
  readonly traceOf: (resource: string) => Trace | undefined;
};

/** Against the cluster where there is a plan, else between the two commits. */
export function rowsOf(reported: DeploymentReport): readonly Row[] {
  const { head, base, plan } = reported;
  const traceOf = head === undefined ? () => undefined : tracesOf(head, base);
  const report: TracedReport = { ...reported, traceOf };
  const manifests = head === undefined ? [] : diffCompilations(base, head);
  const rows =
    plan === undefined
      ? manifests.map((diff) => manifestRow(diff, report))
      : [...planRows(plan, report, manifests), ...foreignRows(manifests, report)];
  return rows.toSorted((a, b) => attention.indexOf(a.action) - attention.indexOf(b.action));
}

function planRows(
  plan: Plan,
  report: TracedReport,
  manifests: readonly ManifestDiff[],
): readonly Row[] {
  const byResource = new Map(manifests.map((diff) => [resourceKey(diff.resource), diff]));
  return [
    ...plan.deletions.map((deletion) => deletionRow(deletion, manifests)),
    ...plan.changes
      .filter((change) => !isRelabelled(change))
      .flatMap((change) => changeRow(change, report, byResource)),
    ...relabelledRow(plan),
    ...plan.kept.map((kept) => plainRow("keep", nameOf(kept.id), kept.detail)),
  ];
}

function relabelledRow({ changes }: Plan): readonly Row[] {
  const objects = changes.filter(isRelabelled).length;
  if (objects === 0) return [];
  return [{ ...plainRow("update", plural(objects, "object"), relabelled), objects }];
}

function deletionRow({ id, retires }: Deletion, manifests: readonly ManifestDiff[]): Row {
  if (retires !== undefined) return plainRow("delete", nameOf(id), whyRetired(retires));
  const successor = manifests.find((diff) => diff.type === "renamed" && isNamed(diff.before, id));
  return successor === undefined
    ? plainRow("delete", nameOf(id), "no longer declared")
    : {
        ...plainRow("delete", nameOf(id), `once ${titleOf(successor.resource)} has taken over`),
        superseded: true,
      };
}

/** A manifest may leave its namespace to the deployment. */
function isNamed(resource: Resource, { kind, namespace, name }: ObjectId): boolean {
  if (resource.type !== "manifest" || resource.object.kind !== kind) return false;
  const declared = textAt(resource.object, "metadata", "namespace") ?? namespace;
  return textAt(resource.object, "metadata", "name") === name && declared === namespace;
}

function changeRow(
  change: Change,
  report: TracedReport,
  manifests: ReadonlyMap<string, ManifestDiff>,
): readonly Row[] {
  if (change.action === "unchanged") return [];
  const resource = `${change.stage}/${change.resource}`;
  const manifest = manifests.get(resource);
  // What is new in an object is what differs from the one that it succeeds.
  const succeeds = manifest?.type === "renamed" && change.live === undefined;
  const diff = succeeds ? manifest.diff : diffChange(change, report.plan?.hides);
  return [
    {
      action: change.action,
      name: nameOf(change.id),
      certainty: certaintyOf(change),
      trace: report.traceOf(resource),
      note: noteOn(change, report, manifest),
      diff,
      superseded: false,
    },
  ];
}

/** An update that neither commit explains was made by hand, or never deployed: a reader must not blame the pull request. */
function noteOn(
  change: Change,
  report: DeploymentReport,
  manifest: ManifestDiff | undefined,
): string | undefined {
  if (manifest?.type === "renamed") return `succeeds ${titleOf(manifest.before)}`;
  const { head, base } = report;
  if (manifest !== undefined || base === undefined) return undefined;
  const resource = `${change.stage}/${change.resource}`;
  const referred = head === undefined ? [] : referredChanges(resource, head, base);
  if (referred.length > 0) {
    return `takes values of ${listed(referred, mostReferred)}, which this pull request changes`;
  }
  if (change.live !== undefined && (change.unasked !== undefined || holdsSecrets(change.late))) {
    return "not from this pull request: whether it changes is known after deploy";
  }
  return change.action === "update"
    ? "not from this pull request: the cluster differs from the target branch"
    : "not from this pull request: missing in the cluster";
}

function certaintyOf(change: Change): string {
  switch (change.certainty.by) {
    case "server":
      return "dry-run";
    case "comparison":
      return "compared";
    case "unchecked":
      return `unchecked: ${change.certainty.reason}`;
    case "refused":
      return "refused";
  }
}

function foreignRows(manifests: readonly ManifestDiff[], report: TracedReport): readonly Row[] {
  return manifests
    .filter((diff) => diff.resource.type === "foreign")
    .map((diff) => manifestRow(diff, report));
}

function manifestRow(diff: ManifestDiff, report: TracedReport): Row {
  return {
    action: diff.resource.type === "foreign" ? "foreign" : manifestAction(diff),
    name: titleOf(diff.resource),
    certainty: "manifests only",
    trace: report.traceOf(resourceKey(diff.resource)),
    note: manifestNote(diff),
    diff: diff.diff,
    superseded: false,
  };
}

function manifestAction(diff: ManifestDiff): RowAction {
  switch (diff.type) {
    case "added":
    case "renamed":
      return "create";
    case "removed":
      return "delete";
    case "changed":
      return "update";
  }
}

function manifestNote(diff: ManifestDiff): string | undefined {
  if (diff.resource.type === "foreign") return `${diff.type}; shown, not applied`;
  if (diff.type === "removed") return "no longer declared";
  return diff.type === "renamed" ? `succeeds ${titleOf(diff.before)}` : undefined;
}

function plainRow(action: RowAction, name: string, note: string): Row {
  return {
    action,
    name,
    note,
    certainty: "",
    trace: undefined,
    diff: undefined,
    superseded: false,
  };
}
