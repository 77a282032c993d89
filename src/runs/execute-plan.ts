import { applyPlan } from "../apply/apply.ts";
import type { ApplyResult } from "../apply/result.ts";
import type { ApprovedPlans } from "../model/approval.ts";
import type { Asker } from "../model/cluster/lock-run.ts";
import type { DeployEvent } from "../model/event.ts";
import type { KubeObject } from "../model/object.ts";
import type { Plan } from "../model/plan.ts";
import { catchProblems, type UserError, userError } from "../model/problems/errors.ts";
import type { Problem } from "../model/problems/problem.ts";
import type { Release, ReleaseSource } from "../model/release.ts";
import type { Timeline } from "../model/timeline.ts";
import type { DesiredState } from "../planning/desired-state.ts";
import { planDeployment } from "../planning/plan-deployment.ts";
import { type ExecutablePlan, executableOnly } from "../planning/planned-deployment.ts";
import type { World } from "../ports/world.ts";
import { finishRelease, pendingRelease } from "../releases/record.ts";
import {
  changesCluster,
  correctedBy,
  runningRelease,
  seenBy,
} from "../releases/running-release.ts";
import { previousRelease } from "../releases/select.ts";
import {
  pruneOrphanedParts,
  pruneReleases,
  type RecordedReleases,
  recordEnd,
  recordPending,
  recordSeen,
} from "../releases/store.ts";
import { gaveWayBefore } from "./give-way.ts";
import type { WentBack } from "./go-back.ts";
import { contextUnderLock } from "./planning-context.ts";
import { endDeployment, type Remainder } from "./recording/end-deployment.ts";
import { recordTimes } from "./recording/record-times.ts";
import { recordingFirst } from "./recording/recording-first.ts";
import type { DeployContext } from "./with-lock.ts";

export type DeployOutcome = DeployedOutcome | SupersededOutcome;

export interface DeployedOutcome {
  readonly type: "deployed";
  readonly plan: Plan;
  /** Where nothing was to be changed, the one that ran before and still does. */
  readonly release: Release;
  readonly isNewRelease: boolean;
  /** The release that was to be gone back to; undefined for a deployment. */
  readonly rollbackOf: number | undefined;
  readonly result: ApplyResult;
  /** What took how long. */
  readonly timeline?: Timeline;
  /** The newer run that this one gave way to before all was done; undefined where it did not. */
  readonly superseded?: Asker | undefined;
  /** The newest release that succeeded and has other objects than those that run now; undefined where there is none. */
  readonly previous: number | undefined;
  /** What is left of a deployment that was to be deleted; undefined where none was, or that failed. */
  readonly remainder?: Remainder | undefined;
  /** Set where the deployment has failed and was to go back then. */
  readonly wentBack?: WentBack | undefined;
}

/** Nothing was changed: a newer commit runs already, and this run was merely late, or a newer run asked for the lock. */
interface SupersededOutcome {
  readonly type: "superseded";
  readonly why: Problem;
}

/** Plan, record as pending, apply, record the end: the part of a deployment that happens under its lock. */
export async function executePlan(
  world: World,
  context: DeployContext,
  desired: DesiredState,
): Promise<DeployOutcome> {
  const { lock, deployment, options } = context;
  const { cluster } = lock;
  const progress = recordTimes(world.progress(deployment), world.clock);
  progress.report({ type: "preparing", step: "planning" });
  const found = await planDeployment(await contextFor(world, context, desired), desired);
  if (!found.executable && found.superseded !== undefined) {
    return { type: "superseded", why: found.superseded };
  }
  const planned = executableOnly(found);
  const { plan, recorded } = planned;
  progress.report(plannedEvent(plan));
  world.signal.throwIfAborted();
  if (lock.lost.aborted) throw lockLost(deployment.name);
  if (lock.asked.aborted) return { type: "superseded", why: gaveWayBefore(deployment.name, lock) };
  // A correction writes what the record of its release holds already, inventory included.
  const running =
    desired.corrects ?? runningRelease(planned, recorded.releases, recorded.unreadable);
  const approvedIn = whereApproved(plan, options.expected);
  const release = newRelease(world, planned, desired, approvedIn);
  const record = recordOnce(world, context, release, plan);
  if (running === undefined) await record.write();
  const { clock, signal } = world;
  const isRecorded = running === undefined || desired.corrects !== undefined;
  const written = isRecorded ? cluster : recordingFirst(cluster, record.write);
  const around = { cluster: written, clock, progress, signal, lost: lock.lost };
  const stop = () => progress.report({ type: "stopping" });
  const giveWay = () => progress.report({ type: "giving-way", by: lock.asker()?.by ?? "" });
  signal.addEventListener("abort", stop);
  lock.asked.addEventListener("abort", giveWay);
  const result = await applyPlan(plan, { ...around, superseded: lock.asked }, options.limits);
  signal.removeEventListener("abort", stop);
  lock.asked.removeEventListener("abort", giveWay);
  const superseded = result.stopped === "superseded" ? lock.asker() : undefined;
  const timeline = progress.timeline();
  const pending = record.written();
  const recordedEnd =
    pending === undefined && running !== undefined
      ? await recordOnRunning(world, context, { planned, release: running, result }, desired)
      : await recordOutcome(world, context, { plan, result, superseded }, pending);
  const ended =
    desired.deletes === true ? await endDeployment(context, plan, recordedEnd.result) : undefined;
  const done = withProblems(recordedEnd, ended?.problems ?? []);
  if (ended?.remainder !== "nothing") {
    if (pending !== undefined) await pruneAfter(done, context, recorded);
    else await pruneOrphanedParts(cluster, recorded, done.release);
  }
  progress.report({ type: "finished", ending: endingOf(done.result) });
  const isNewRelease = pending !== undefined;
  const releases = isNewRelease ? [done.release, ...recorded.releases] : recorded.releases;
  const previous = previousRelease(releases)?.revision;
  const { rollbackOf, warnings = [] } = desired;
  const notices = [...warnings, ...plan.notices, ...(result.notices ?? [])];
  const told = { ...plan, notices };
  return {
    type: "deployed",
    plan: told,
    ...done,
    timeline,
    superseded,
    isNewRelease,
    rollbackOf,
    previous,
    remainder: ended?.remainder,
  };
}

/** What came of a plan, and the release that it is recorded in. */
interface Recorded {
  readonly release: Release;
  readonly result: ApplyResult;
}

/** A pending release with the Secret that makes it exist. */
interface Pending {
  readonly release: Release;
  readonly head: KubeObject;
}

function recordOnce(
  world: World,
  { lock, deployment, options }: DeployContext,
  release: Release,
  plan: Plan,
) {
  let writing: Promise<KubeObject> | undefined;
  let pending: Pending | undefined;
  const write = async (): Promise<void> => {
    writing ??= recordPending(lock.cluster, release, deployment.namespace, world);
    const head = await writing;
    if (pending !== undefined) return;
    pending = { release, head };
    world.progress(deployment).report({ type: "recorded", revision: release.revision });
    options.announce?.(release, plan);
  };
  return { write, written: () => pending };
}

function lockLost(deployment: string): UserError {
  return userError(
    "lock-lost",
    `The lock of "${deployment}" was lost while planning: another run may be deploying it`,
    "Run again when that run has ended",
  );
}

function newRelease(
  world: World,
  { plan, expandedConfig, recorded, source, overrode }: ExecutablePlan,
  { rollbackOf, input, layout, deletes }: DesiredState,
  approvedIn: readonly string[],
): Release {
  // What is deleted comes from no commit, and no later commit is compared with it.
  const origin = deletes === true ? withoutCommit(source) : source;
  return pendingRelease(plan, recorded.releases, {
    revision: recorded.next,
    rollbackOf,
    inputConfig: input,
    expandedConfig,
    layout,
    ...(overrode === undefined ? {} : { overrode }),
    source: { ...origin, ...(approvedIn.length === 0 ? {} : { approvedIn }) },
    startedAt: world.clock.now().toISOString(),
  });
}

function withoutCommit({ uncommitted: _, ...source }: ReleaseSource): ReleaseSource {
  return { ...source, commit: undefined };
}

/** The pull requests whose previews have shown what the plan does. */
function whereApproved({ notices }: Plan, expected: ApprovedPlans | undefined): readonly string[] {
  const isApproved = notices.some(
    ({ code }) => code === "plan-approved" || code === "plan-approved-in-part",
  );
  const given = expected?.approvals.map(({ by }) => by).filter((by) => by !== "");
  return isApproved ? (given ?? []) : [];
}

function plannedEvent(plan: Plan): DeployEvent {
  const unchanged = plan.changes.filter(({ action }) => action === "unchanged").length;
  const upserts = plan.changes.length - unchanged;
  return { type: "planned", upserts, deletions: plan.deletions.length, unchanged };
}

function endingOf({
  succeeded,
  stopped,
}: ApplyResult): "succeeded" | "failed" | "cancelled" | "superseded" {
  if (succeeded) return "succeeded";
  return stopped === "cancelled" || stopped === "superseded" ? stopped : "failed";
}

/** What a correction puts back came from where its release did, whatever is checked out here. */
async function contextFor(world: World, context: DeployContext, { corrects }: DesiredState) {
  const planning = await contextUnderLock(world, context);
  return corrects === undefined ? planning : { ...planning, source: corrects.source };
}

async function recordOnRunning(
  world: World,
  context: DeployContext,
  run: Recorded & { readonly planned: ExecutablePlan },
  desired: DesiredState,
): Promise<Recorded> {
  if (desired.corrects === undefined) return recordUnchanged(world, context, run, desired);
  return recordCorrection(world, context, run);
}

/** A correction that found nothing to put right writes nothing. */
async function recordCorrection(
  world: World,
  { lock }: DeployContext,
  { planned, release, result }: Recorded & { readonly planned: ExecutablePlan },
): Promise<Recorded> {
  const { plan, recorded } = planned;
  if (!changesCluster(plan)) return { release, result };
  const at = world.clock.now().toISOString();
  const corrected = correctedBy(release, plan, result, { ...world.origin, at });
  const noted = await catchProblems(() => recordSeen(lock.cluster, corrected, recorded, world));
  if (noted.ok) return { release: corrected, result };
  return { release, result: withoutRecord(result, release, noted.problems) };
}

/**
 * A deployment that found nothing to change is known by the release that runs. Only where all is ready has the run seen what it
 * desired; a rollback, and a run of one stage of two, say nothing of the commit.
 */
async function recordUnchanged(
  world: World,
  { lock }: DeployContext,
  { planned, release, result }: Recorded & { readonly planned: ExecutablePlan },
  { rollbackOf, deletes }: DesiredState,
): Promise<Recorded> {
  const { plan, recorded, source } = planned;
  const isOfCommit = rollbackOf === undefined && deletes === undefined;
  const saysCommit = isOfCommit && plan.onlyStage === release.onlyStage;
  if (!result.succeeded || !saysCommit) return { release, result };
  const seen = seenBy(release, source, world.clock.now().toISOString());
  const noted = await catchProblems(() => recordSeen(lock.cluster, seen, recorded, world));
  if (noted.ok) return { release: seen, result };
  return { release, result: withoutRecord(result, release, noted.problems) };
}

/**
 * Records how it ended. What was changed stays changed when that fails: it is a failure of this run, not a refusal
 * to begin, and the pending record makes the next run finish the work.
 */
async function recordOutcome(
  world: World,
  { target }: DeployContext,
  { plan, result, superseded }: Pick<DeployedOutcome, "plan" | "result" | "superseded">,
  pending: Pending | undefined,
): Promise<Recorded> {
  if (pending === undefined) throw new Error("a plan was executed without a record");
  const finishedAt = world.clock.now().toISOString();
  const release = finishRelease(pending.release, plan, { ...result, finishedAt, superseded });
  const recorded = await catchProblems(() =>
    recordEnd(target.cluster, release, pending.head, world),
  );
  if (recorded.ok) return { release, result };
  const { release: unfinished } = pending;
  return { release: unfinished, result: withoutRecord(result, release, recorded.problems) };
}

function withoutRecord(
  result: ApplyResult,
  { revision }: Release,
  problems: readonly Problem[],
): ApplyResult {
  return withFailures(result, `Record of release ${revision}`, problems);
}

function withProblems({ release, result }: Recorded, problems: readonly Problem[]): Recorded {
  if (problems.length === 0) return { release, result };
  return { release, result: withFailures(result, "Releases", problems) };
}

function withFailures(
  result: ApplyResult,
  name: string,
  problems: readonly Problem[],
): ApplyResult {
  const about = { key: name, name, resource: undefined, evidence: undefined };
  const failures = problems.map(({ code, what, fix }) => ({ ...about, code, what, fix }));
  return { ...result, succeeded: false, failures: [...result.failures, ...failures] };
}

/** After a failure too: somebody who tries again and again must not fill the namespace with records. */
async function pruneAfter(
  { release, result }: Recorded,
  { lock, options }: DeployContext,
  recorded: RecordedReleases,
): Promise<void> {
  // Without a recorded end the cluster is out of reach, and without the lock another run may be at work.
  if (release.status === "pending" || lock.lost.aborted) return;
  const kept = result.results.filter(({ outcome }) => outcome === "kept").map(({ key }) => key);
  const needed = { keys: kept, newest: options.keepReleases };
  await pruneReleases(lock.cluster, recorded, release, needed);
}
