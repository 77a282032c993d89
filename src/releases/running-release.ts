import { type Json, sameJson } from "../model/json.ts";
import { highestNumber, keyOf } from "../model/object.ts";
import type { Plan } from "../model/plan.ts";
import {
  type CorrectionRun,
  fromNewest,
  type InventoryEntry,
  newestOf,
  type ObjectResult,
  type Release,
  type ReleasedManifest,
  type ReleaseSource,
  type SeenRun,
} from "../model/release.ts";
import { revisionsAfter } from "./history.ts";
import { inventoryAfter, inventoryOf } from "./inventory.ts";
import { declareSameObjects } from "./same-objects.ts";
import { mayTellWhatIsLive, type UnreadableRecord } from "./unreadable.ts";

/** A plan, and what its release would record. */
interface Planned {
  readonly plan: Plan;
  readonly expandedConfig: readonly ReleasedManifest[];
  readonly source: ReleaseSource;
}

/**
 * The release that runs and stays the newest, since the plan changes nothing: neither in the cluster nor in what is recorded for
 * going back and for deleting. undefined where the plan is a change, or has to finish what an earlier run left undone.
 */
export function runningRelease(
  planned: Planned,
  releases: readonly Release[],
  unreadable: readonly UnreadableRecord[] = [],
): Release | undefined {
  return changesCluster(planned.plan) ? undefined : sameRelease(planned, releases, unreadable);
}

/**
 * The same, also where the plan deletes what an earlier run has left because it was in use. Whether it still is shows when it is to be
 * deleted: until then nothing has changed.
 */
export function runningUntilDeleted(
  planned: Planned,
  releases: readonly Release[],
  unreadable: readonly UnreadableRecord[] = [],
): Release | undefined {
  return upsertsAnything(planned.plan) ? undefined : sameRelease(planned, releases, unreadable);
}

function sameRelease(
  { plan, expandedConfig, source }: Planned,
  releases: readonly Release[],
  unreadable: readonly UnreadableRecord[],
): Release | undefined {
  const newest = newestOf(releases);
  // A new record tells again what is there.
  if (mayTellWhatIsLive(unreadable, releases).length > 0) return undefined;
  if (newest?.status !== "succeeded") return undefined;
  const isWhole = newest.onlyStage === undefined || newest.onlyStage === plan.onlyStage;
  const isSame =
    isWhole &&
    newest.source.config === (source.config ?? newest.source.config) &&
    newest.source.repository === source.repository &&
    declareSameObjects(newest, { expandedConfig }) &&
    covers(newest.inventory, inventoryAfter(inventoryOf(releases), plan, [])) &&
    sameJson(asJson(newest.revisions ?? []), asJson(revisionsAfter(plan, [])));
  return isSame ? newest : undefined;
}

/** Whether there is anything to do. */
export function changesCluster(plan: Plan): boolean {
  return plan.deletions.length > 0 || upsertsAnything(plan);
}

function upsertsAnything({ changes }: Plan): boolean {
  return changes.some(({ action }) => action !== "unchanged");
}

/** Whether the same objects are recorded, with all of these edges; more of them do no harm. */
function covers(recorded: readonly InventoryEntry[], planned: readonly InventoryEntry[]): boolean {
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

function asJson(value: unknown): Json {
  return JSON.parse(JSON.stringify(value)) as Json;
}

/** The release as it is recorded once another run has found nothing to change. */
export function seenBy(release: Release, source: ReleaseSource, at: string): Release {
  const { commit, actor, run, uncommitted } = source;
  const lastSeen: SeenRun = {
    commit,
    actor,
    run,
    at,
    ...(uncommitted === undefined ? {} : { uncommitted }),
    ...runsAfter(release.lastSeen),
  };
  return { ...release, lastSeen };
}

/** One more. Where earlier runs were not counted, at least one was there. */
function runsAfter(before: SeenRun | undefined): Pick<SeenRun, "runs" | "orMore"> {
  if (before === undefined) return { runs: 1 };
  const runs = Math.min((before.runs ?? 1) + 1, highestNumber);
  return before.runs === undefined || before.orMore === true ? { runs, orMore: true } : { runs };
}

const mostResults = 100;

/** The release as it is recorded once what others had changed of it was put right. Numbers of kept objects are given once. */
export function correctedBy(
  release: Release,
  plan: Plan,
  {
    succeeded,
    results,
  }: { readonly succeeded: boolean; readonly results: readonly ObjectResult[] },
  { actor, run, at }: Pick<CorrectionRun, "actor" | "run" | "at">,
): Release {
  const touched = results.filter(({ outcome }) => outcome !== "unchanged" && outcome !== "kept");
  const shown = touched.slice(0, mostResults);
  const lastCorrected: CorrectionRun = { actor, run, at, succeeded, results: shown };
  return { ...release, revisions: revisionsAfter(plan, results), lastCorrected };
}

/** The commit that a release runs, as the last run that looked at it had it. */
export function commitOf({ source, lastSeen }: Release): Pick<SeenRun, "commit" | "uncommitted"> {
  return lastSeen ?? source;
}

/** Whether it holds somebody's decision to go back, which no deployment has confirmed since. */
export function isHeldBack({ rollbackOf, lastSeen }: Release): boolean {
  return rollbackOf !== undefined && lastSeen === undefined;
}

/**
 * The releases whose commits a deployment must not be older than, the newest first: the newest of all and, where that is a
 * rollback, which may have been started anywhere, the newest that was deployed from a commit.
 */
export function releasesToFollow(releases: readonly Release[]): readonly Release[] {
  const newestFirst = fromNewest(releases);
  const deployed = newestFirst.find((release) => !isHeldBack(release));
  return [...new Set([newestFirst[0], deployed])].filter((release) => release !== undefined);
}

/** `1a2b3c4d5e6f, with uncommitted changes`, as people know a commit. */
export function commitName({ commit = "", uncommitted }: ReturnType<typeof commitOf>): string {
  const name = commit.slice(0, 12);
  return uncommitted === true ? `${name}, with uncommitted changes` : name;
}
