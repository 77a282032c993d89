import { ownLabels } from "../../model/annotations.ts";
import { isJob } from "../../model/cluster/jobs.ts";
import { nameOf } from "../../model/object.ts";
import { referencesSecret } from "../../model/plan/apply-time-reference.ts";
import type { Attribution, Attributions } from "../../model/plan/attribution.ts";
import type { Deletion } from "../../model/plan/deletion.ts";
import {
  type Change,
  grownClaims,
  type Plan,
  recreationFields,
  replacesPods,
} from "../../model/plan/plan.ts";
import { hasSubject, type Problem } from "../../model/problems/problem.ts";
import { summarizeList } from "../../model/text/suggest.ts";
import { diffChange, diffDeletion, isRelabeled, relabelSummary } from "../diff/live-diff.ts";
import { changedReferences } from "../diff/manifest-diff.ts";
import type { TextDiff } from "../diff/text-diff.ts";
import { codeLabel } from "../text/code-label.ts";
import { plural } from "../text/counts.ts";
import {
  findPredecessor,
  ignoredField,
  plainRow,
  type RowsInput,
  rowField,
  type TracedReport,
  type TracedRow,
} from "./manifest-row.ts";

const maxListed = 3;

export function planRows(plan: Plan, report: TracedReport): readonly TracedRow[] {
  const changed = plan.changes.filter((change) => !isRelabeled(change));
  const pairs = new Map(
    changed.flatMap((change) => {
      const found = findPredecessor(change, report);
      return found === undefined ? [] : [[found.key, change] as const];
    }),
  );
  return [
    ...plan.deletions
      .filter(({ key }) => !pairs.has(key))
      .map((deletion) => deletionRow(deletion, report)),
    ...changed.flatMap((change) => changeRow(change, report)),
    ...relabeledRow(plan),
    ...plan.kept.map((kept) => plainRow("keep", nameOf(kept.id), kept.detail)),
    ...changed.flatMap((change) => ignoredFieldsRow(change, report)),
  ];
}

function relabeledRow({ changes }: Plan): readonly TracedRow[] {
  const objects = changes.filter(isRelabeled).length;
  if (objects === 0) return [];
  return [{ ...plainRow("update", plural(objects, "object"), relabelSummary), objects }];
}

function deletionRow(deletion: Deletion, { plan, attributions }: TracedReport): TracedRow {
  const { id, prunedRevision, key } = deletion;
  if (prunedRevision !== undefined) {
    return plainRow(
      "delete",
      nameOf(id),
      `revision ${prunedRevision.revision} of key ${prunedRevision.key}; enough newer revisions are kept`,
    );
  }
  const successor = findSuccessor(key, plan, attributions);
  if (successor !== undefined) {
    return plainRow("delete", nameOf(id), `replaced by ${nameOf(successor.id)}`);
  }
  const source = attributions?.deletions.get(key);
  const isLate = source === "undeployed";
  const note = isLate ? `no longer declared; ${notDeployedYet}` : "no longer declared";
  return {
    ...plainRow("delete", nameOf(id), note),
    key,
    harmless: undefined,
    source,
    diff: diffDeletion(deletion, plan?.hides),
  };
}

/**
 * Returns the replacement of an object that exists already.
 * This happens after a release that ended before its deletions.
 */
function findSuccessor(
  key: string,
  plan: Plan | undefined,
  attributions: Attributions | undefined,
): Change | undefined {
  return plan?.changes.find(
    (change) => attributions?.successions.get(change.key)?.predecessor === key,
  );
}

function changeRow(change: Change, report: TracedReport): readonly TracedRow[] {
  if (change.action === "unchanged" && change.hook !== undefined)
    return [{ ...plainRow("delete", nameOf(change.id), finishedHook), key: change.key }];
  if (change.action === "unchanged") return [];
  const resource = `${change.stage}/${change.resource}`;
  const attribution = report.attributions?.changes.get(change.key);
  const before = findPredecessor(change, report);
  const isDeleted = report.plan?.deletions.some(({ key }) => key === before?.key) === true;
  const diff = before === undefined ? ownDiff(change, attribution, report) : before.diff;
  const isLeftOut = isBlockedForeignChange(change, attribution, diff, report.blockers ?? []);
  return [
    {
      action: isDeleted ? "rename" : change.action,
      key: change.key,
      name: nameOf(change.id),
      succeeds: before?.name,
      replaces: isDeleted ? before?.key : undefined,
      recreates: recreationFields(change.steps) ?? [],
      ...(change.action === "replace" && !replacesPods(change) ? { keepsPods: true } : {}),
      isDeclaredHere: report.base !== undefined && report.manifests.has(resource),
      isRefused: change.certainty.by === "refused",
      unsure: uncertainty(change, report),
      isUnchecked: change.certainty.by === "unchecked" ? true : undefined,
      trace: report.findTrace(resource, isLeftOut ? [] : declaredFields(change, attribution)),
      note: isLeftOut
        ? "conflict: this deployment doesn't own it, so its diff isn't shown"
        : joinNotes(
            hookNote(change),
            replacementNote(change),
            changeNote(change, before !== undefined, report),
          ),
      // qvs takes no ownership in a blocked change.
      source: isLeftOut ? undefined : attribution?.source,
      fields: isLeftOut ? [] : (attribution?.fields.map(rowField) ?? before?.fields ?? []),
      ignored: (attribution?.ignored ?? []).map(ignoredField),
      diff: isLeftOut ? undefined : diff,
    },
  ];
}

/** Returns the fields of a live object that the manifests change. */
function declaredFields({ live }: Change, attribution: Attribution | undefined) {
  if (live === undefined) return [];
  const fields = attribution?.fields ?? [];
  return fields.filter(({ source }) => source !== "server").map(({ steps }) => steps);
}

/**
 * Reports whether a change is blocked because the object doesn't belong to this deployment.
 * If the live object is unknown, its diff would show every line as new, but qvs won't make this
 * change.
 */
function isBlockedForeignChange(
  { certainty, live, id }: Change,
  attribution: Attribution | undefined,
  diff: TextDiff | undefined,
  blockers: readonly Problem[],
): boolean {
  const isOfOthers = live !== undefined && attribution?.source === "adoption";
  if (!isOfOthers || diff === undefined) return false;
  const isForeign = blockers.some(
    (blocker) => blocker.code === "foreign-object" && hasSubject(blocker, nameOf(id)),
  );
  const looksNew = certainty.by === "refused" && diff.removed === 0;
  return isForeign || looksNew;
}

/**
 * Returns the diff without the fields that the API server fills in, and without qvs's labels of new
 * objects.
 * The row names the filled-in fields on a separate line. The diff includes the values that the API
 * server changes or removes.
 */
function ownDiff(change: Change, attribution: Attribution | undefined, { plan }: TracedReport) {
  const filledIn = (attribution?.fields ?? []).filter(
    ({ source, before }) => source === "server" && before === undefined,
  );
  return diffChange(change, plan?.hides, [...filledIn, ...newOwnLabels(change)]);
}

/** Returns the labels that qvs sets on a new object, as fields that a diff leaves out. */
function newOwnLabels({ live, desired }: Change) {
  if (live !== undefined) return [];
  const all = Object.keys(desired.metadata.labels ?? {});
  const own = all.filter((label) => ownLabels.has(label));
  const names = own.length === all.length ? [[]] : own.map((label) => [label]);
  return own.length === 0
    ? []
    : names.map((name) => ({ steps: ["metadata", "labels", ...name], before: undefined }));
}

/**
 * Returns a row for the ignored fields of an unchanged object. Otherwise, no row would show them.
 */
function ignoredFieldsRow(change: Change, { attributions }: TracedReport): readonly TracedRow[] {
  const ignored = attributions?.changes.get(change.key)?.ignored ?? [];
  if (change.action !== "unchanged" || ignored.length === 0) return [];
  const note = "unchanged because of its annotation ignore-changes";
  return [{ ...plainRow("ignore", nameOf(change.id), note), ignored: ignored.map(ignoredField) }];
}

function joinNotes(...notes: readonly (string | undefined)[]): string | undefined {
  return notes.filter((note) => note !== undefined).join("; ") || undefined;
}

const finishedHook = "hook: doesn't run again, and is deleted at the end";

/** Returns the time at which a hook of a deletion runs. */
function hookNote({ hook }: Change): string | undefined {
  if (hook === undefined) return undefined;
  const when = hook.event === "pre-delete" ? "before" : "after";
  return `hook: runs ${when} the deletions, then is deleted`;
}

/** Returns the effect of a replacement that its fields don't show. */
function replacementNote(change: Change): string | undefined {
  const { action, id, steps } = change;
  if (action !== "replace") return undefined;
  if (isJob(id)) return "runs again";
  if (replacesPods(change)) return undefined;
  const grown = grownClaims(steps);
  const claims = grown.map(({ name, from, to }) => `${name} from ${from} to ${to}`);
  return joinNotes(
    "its Pods stay",
    grown.length === 0 ? undefined : `grows ${summarizeList(claims, maxListed)}`,
  );
}

/**
 * Returns a note on an update that neither commit explains.
 * It comes from a manual change, or it was never deployed. Without the note, a reader would
 * attribute it to the pull request.
 */
function changeNote(change: Change, isRename: boolean, report: TracedReport): string | undefined {
  const { head, base, attributions } = report;
  const { source, deployedBy } = attributions?.changes.get(change.key) ?? {};
  if (change.live === undefined && source === "undeployed") return notDeployedYet;
  if (isRename) return undefined;
  if (change.action === "create" && source === "drift") {
    return `missing in the cluster, although release ${deployedBy} deployed it`;
  }
  // Only a Job has this source, if its manifest sets `ttlSecondsAfterFinished`.
  if (change.action === "create" && source === "server") return deletedByTtl;
  const resource = `${change.stage}/${change.resource}`;
  if (report.manifests.has(resource) || base === undefined) return undefined;
  const referred = head === undefined ? [] : changedReferences(resource, head, base);
  if (referred.length > 0) {
    return `uses values of ${summarizeList(referred, maxListed)}, which this pull request changes`;
  }
  if (
    change.live !== undefined &&
    (change.dryRunSkipped !== undefined || referencesSecret(change.applyTimeReferences))
  ) {
    return "not from this pull request: known after deploy";
  }
  // If there is a source, each field shows its own.
  return source === undefined
    ? `not from this pull request: ${describeDifference(change)}`
    : undefined;
}

const deletedByTtl =
  "deleted by the cluster after it finished, as ttlSecondsAfterFinished requires; runs again";

/** The note on a change that the target branch also declares. */
export const notDeployedYet = "merged earlier, not deployed yet";

function describeDifference({ action }: Change): string {
  return action === "update"
    ? "the cluster differs from the target branch"
    : "missing in the cluster";
}

function uncertainty({ certainty, id }: Change, { blockers = [] }: RowsInput): string | undefined {
  switch (certainty.by) {
    case "server":
    case "comparison":
      return undefined;
    case "schema":
      return `checked by schema only: ${certainty.reason}`;
    case "unchecked":
      return `unchecked: ${certainty.reason}`;
    case "refused":
      return `blocked: ${blockerCodes(nameOf(id), blockers)}`;
  }
}

/** Returns the codes of the errors that block an object. The errors themselves are shown above. */
function blockerCodes(name: string, blockers: readonly Problem[]): string {
  const own = blockers.filter((blocker) => hasSubject(blocker, name));
  const codes = new Set(own.map(({ code }) => codeLabel(code)));
  return codes.size === 0 ? "the API server rejects it" : summarizeList([...codes], maxListed);
}
