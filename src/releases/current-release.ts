import type {
  CorrectionRun,
  InventoryEntry,
  ObjectResult,
  Release,
  ReleasedManifest,
  ReleaseSource,
  UnchangedRun,
} from "../model/deployments/release.ts";
import type { ReleaseHistory } from "../model/deployments/release-history.ts";
import { type Json, sameJson } from "../model/json.ts";
import { keyOf, maxRevision } from "../model/object.ts";
import type { DeletionHook } from "../model/plan/deletion.ts";
import type { Plan } from "../model/plan/plan.ts";
import { usedRevisions } from "./history.ts";
import { finalInventory, liveInventory } from "./inventory.ts";
import { possiblyLiveRecords, type UnreadableRecord } from "./unreadable-records.ts";
import { declareSameObjects } from "./with-other-stage.ts";

/** A plan, with the data that its release would record. */
interface PlannedRelease {
  readonly plan: Plan;
  readonly expandedConfig: readonly ReleasedManifest[];
  readonly deletionHooks?: Release["deletionHooks"];
  readonly source: ReleaseSource;
}

/**
 * Returns the current release, which stays the newest because the plan changes nothing.
 * The plan changes neither the cluster nor the recorded data for rollbacks and deletions. Undefined
 * if it does, or if it completes the work of an earlier run.
 */
export function currentIfUnchanged(
  planned: PlannedRelease,
  history: ReleaseHistory,
  unreadable: readonly UnreadableRecord[] = [],
): Release | undefined {
  return changesCluster(planned.plan) ? undefined : unchangedRelease(planned, history, unreadable);
}

/**
 * Returns the current release even if the plan deletes objects that an earlier run left in use.
 * The run shows only at the deletion whether they are still in use. Until then nothing has changed.
 */
export function currentIfOnlyDeletions(
  planned: PlannedRelease,
  history: ReleaseHistory,
  unreadable: readonly UnreadableRecord[] = [],
): Release | undefined {
  return upsertsAnything(planned.plan) ? undefined : unchangedRelease(planned, history, unreadable);
}

function unchangedRelease(
  { plan, expandedConfig, deletionHooks = [], source }: PlannedRelease,
  history: ReleaseHistory,
  unreadable: readonly UnreadableRecord[],
): Release | undefined {
  const { newest } = history;
  // A new record describes the live objects again.
  if (possiblyLiveRecords(unreadable, history).length > 0) return undefined;
  if (newest?.status !== "succeeded") return undefined;
  const isWhole = newest.onlyStage === undefined || newest.onlyStage === plan.onlyStage;
  const isSame =
    isWhole &&
    newest.source.config === (source.config ?? newest.source.config) &&
    newest.source.repository === source.repository &&
    declareSameObjects(newest, { expandedConfig }) &&
    sameJson(toJson(newest.checks ?? []), toJson(plan.checks ?? [])) &&
    haveSameHooks(newest.deletionHooks ?? [], deletionHooks) &&
    coversInventory(newest.inventory, finalInventory(liveInventory(history), plan, [])) &&
    sameJson(toJson(newest.revisions ?? []), toJson(usedRevisions(plan, [])));
  return isSame ? newest : undefined;
}

/**
 * Reports whether two releases have the same hooks. Hooks with random values always differ, and
 * would make a new release in each deployment.
 */
function haveSameHooks(
  recorded: readonly DeletionHook[],
  planned: readonly DeletionHook[],
): boolean {
  const fixed = (hooks: readonly DeletionHook[]) =>
    hooks.filter(({ isRandom }) => isRandom !== true);
  return (
    recorded.length === planned.length && sameJson(toJson(fixed(recorded)), toJson(fixed(planned)))
  );
}

/** Reports whether a plan writes or deletes anything. */
export function changesCluster(plan: Plan): boolean {
  return plan.deletions.length > 0 || upsertsAnything(plan);
}

function upsertsAnything({ changes }: Plan): boolean {
  return changes.some(({ action }) => action !== "unchanged");
}

/** Reports whether the record has the same objects with all these edges. More edges do no harm. */
function coversInventory(
  recorded: readonly InventoryEntry[],
  planned: readonly InventoryEntry[],
): boolean {
  const known = new Map(recorded.map((entry) => [keyOf(entry.id), entry]));
  return (
    known.size === planned.length &&
    planned.every((entry) => {
      const before = known.get(keyOf(entry.id));
      return before !== undefined && sameEntry(before, entry) && hasEdges(before, entry);
    })
  );
}

function sameEntry(a: InventoryEntry, b: InventoryEntry): boolean {
  return a.apiVersion === b.apiVersion && a.stage === b.stage && a.keepOnDelete === b.keepOnDelete;
}

function hasEdges(before: InventoryEntry, { after }: InventoryEntry): boolean {
  const known = new Set(before.after.map(({ on }) => on));
  return after.every(({ on }) => known.has(on));
}

function toJson(value: unknown): Json {
  return JSON.parse(JSON.stringify(value)) as Json;
}

/** Returns the release with a note of another run that found nothing to change. */
export function withLastSeen(release: Release, source: ReleaseSource, at: string): Release {
  const { commit, actor, run, uncommitted } = source;
  const lastSeen: UnchangedRun = {
    commit,
    actor,
    run,
    at,
    ...(uncommitted === undefined ? {} : { uncommitted }),
    ...nextRunCount(release.lastSeen),
  };
  return { ...release, lastSeen };
}

/** Increments the number of runs. If earlier runs weren't counted, there was at least one. */
function nextRunCount(before: UnchangedRun | undefined): Pick<UnchangedRun, "runs" | "orMore"> {
  if (before === undefined) return { runs: 1 };
  const runs = Math.min((before.runs ?? 1) + 1, maxRevision);
  return before.runs === undefined || before.orMore === true ? { runs, orMore: true } : { runs };
}

const maxResults = 100;

/**
 * Returns the release with a note of a drift correction.
 * The numbers that the run gave to kept objects count as used.
 */
export function withCorrection(
  release: Release,
  plan: Plan,
  {
    succeeded,
    results,
  }: { readonly succeeded: boolean; readonly results: readonly ObjectResult[] },
  { actor, run, at }: Pick<CorrectionRun, "actor" | "run" | "at">,
): Release {
  const touched = results.filter(({ outcome }) => outcome !== "unchanged" && outcome !== "kept");
  const shown = touched.slice(0, maxResults);
  const lastCorrected: CorrectionRun = { actor, run, at, succeeded, results: shown };
  return { ...release, revisions: usedRevisions(plan, results), lastCorrected };
}

/** Returns the commit of a release, as the last run without changes recorded it. */
export function deployedCommit({
  source,
  lastSeen,
}: Release): Pick<UnchangedRun, "commit" | "uncommitted"> {
  return lastSeen ?? source;
}

/** Reports whether a release is a rollback that no later deployment has confirmed. */
export function isUnconfirmedRollback({ rollbackOf, lastSeen }: Release): boolean {
  return rollbackOf !== undefined && lastSeen === undefined;
}

/**
 * Returns the releases whose commits a deployment must not be older than, newest first.
 * They are the newest release and, if it is a rollback, the newest one that was deployed from a
 * commit. A rollback can be started anywhere.
 */
export function releasesToFollow({ releases, newest }: ReleaseHistory): readonly Release[] {
  const deployed = releases.find((release) => !isUnconfirmedRollback(release));
  return [...new Set([newest, deployed])].filter((release) => release !== undefined);
}

/** Formats a commit for users: `1a2b3c4d5e6f, with uncommitted changes`. */
export function commitName({
  commit = "",
  uncommitted,
}: ReturnType<typeof deployedCommit>): string {
  const name = commit.slice(0, 12);
  return uncommitted === true ? `${name}, with uncommitted changes` : name;
}
