import { applyPlan } from "../apply/apply.ts";
import type { ApplyResult } from "../apply/result.ts";
import type { Challenger } from "../model/cluster/lock-run.ts";
import type { DeployEvent } from "../model/event.ts";
import type { Plan } from "../model/plan.ts";
import { UserError } from "../model/problems/errors.ts";
import type { Release } from "../model/release.ts";
import { unlessAborted } from "../model/unless-aborted.ts";
import { whileListening } from "../model/while-listening.ts";
import { type DesiredState, rollbackTarget } from "../planning/desired-state.ts";
import { planDeployment } from "../planning/plan-deployment.ts";
import { type ExecutablePlan, requireExecutable } from "../planning/planned-deployment.ts";
import type { World } from "../ports/world.ts";
import { currentIfOnlyDeletions } from "../releases/current-release.ts";
import { rollbackTargetText } from "../releases/rollback-target-text.ts";
import { previousRelease } from "../releases/select.ts";
import { pruneOrphanedParts } from "../releases/store.ts";
import type { DeployedOutcome, DeployOutcome } from "./deploy-outcome.ts";
import { gaveWayBefore } from "./give-way.ts";
import { contextUnderLock } from "./planning-context.ts";
import { endDeployment } from "./recording/end-deployment.ts";
import { recordOnce } from "./recording/pending-release.ts";
import {
  pruneAfter,
  type Recorded,
  recordOnRunning,
  recordOutcome,
  withProblems,
} from "./recording/record-end.ts";
import { recordTimes, type TimedProgress } from "./recording/record-times.ts";
import { recordingFirst } from "./recording/recording-first.ts";
import type { DeployContext, DeployOptions } from "./with-lock.ts";

/**
 * Plans, records the release as pending, applies the plan and records the end. It runs under the
 * deployment lock.
 */
export async function executePlan(
  world: World,
  context: DeployContext,
  desired: DesiredState,
): Promise<DeployOutcome> {
  const { lock, deployment } = context;
  const progress = recordTimes(world.progress(deployment), world.clock);
  progress.report({ type: "preparing", step: "planning" });
  const found = await unlessAborted(
    async () => planDeployment(await contextFor(world, context, desired), desired),
    world.signal,
  );
  if (!found.executable && found.superseded !== undefined) {
    // A deleted deployment has no lock. A run that doesn't deploy it again must not leave one
    // either.
    if (found.superseded.code === "deployment-not-listed" && found.recorded?.releases.length === 0)
      context.endLock();
    return { type: "superseded", why: found.superseded };
  }
  const planned = markBegun(requireExecutable(found), context);
  const back = backTo(world, planned, desired);
  if (back !== undefined) progress.report(back);
  progress.report(plannedEvent(planned.plan, context.options.limits));
  world.signal.throwIfAborted();
  if (lock.lost.aborted) throw lockLost(deployment.name);
  if (lock.yieldRequested.aborted)
    return { type: "superseded", why: gaveWayBefore(deployment.name, lock) };
  const running = releaseThatStays(planned, desired);
  const record = recordOnce(world, context, planned, desired);
  if (running === undefined) await record.write();
  const run: Run = { world, context, desired, planned, running, record, progress };
  const result = await applyUnderLock(run);
  const superseded = result.stopped === "superseded" ? lock.challenger() : undefined;
  const timeline = progress.timeline();
  const { remainder, ...done } = await recordHowItEnded(run, result, superseded);
  progress.report({ type: "finished", ending: endingOf(done.result) });
  return {
    type: "deployed",
    plan: withNoticesOf(planned.plan, desired, result),
    ...done,
    timeline,
    superseded,
    isNewRelease: record.written() !== undefined,
    rollbackOf: desired.rollbackOf,
    previous: previousAfter(run, done.release),
    remainder,
  };
}

function markBegun(planned: ExecutablePlan, { begun }: DeployContext): ExecutablePlan {
  if (begun === undefined) return planned;
  const changes = planned.plan.changes.map((change) =>
    change.key === begun ? { ...change, isCreatedByThisRun: true as const } : change,
  );
  return { ...planned, plan: { ...planned.plan, changes } };
}

/** The parts of a run that don't change after planning. */
interface Run {
  readonly world: World;
  readonly context: DeployContext;
  readonly desired: DesiredState;
  readonly planned: ExecutablePlan;
  /** The release that stays the newest; undefined if this run creates a new one. */
  readonly running: Release | undefined;
  readonly record: ReturnType<typeof recordOnce>;
  readonly progress: TimedProgress;
}

/**
 * Returns the release that stays the newest. For a correction it is the corrected release, whose
 * record already contains the objects and the inventory.
 */
function releaseThatStays(planned: ExecutablePlan, { corrects }: DesiredState) {
  const { releases, unreadable } = planned.recorded;
  return corrects ?? currentIfOnlyDeletions(planned, releases, unreadable);
}

/**
 * Applies the plan to its end, or until something stops it: Ctrl-C, a lost lock, or a newer run
 * that requests the lock.
 */
async function applyUnderLock(run: Run): Promise<ApplyResult> {
  const { world, context, desired, planned, running, record, progress } = run;
  const { clock, signal } = world;
  const { lock, options } = context;
  const isRecorded = running === undefined || desired.corrects !== undefined;
  const cluster = isRecorded ? lock.cluster : recordingFirst(lock.cluster, record.write);
  const stop = () => progress.report({ type: "stopping" });
  const giveWay = () => progress.report({ type: "giving-way", by: lock.challenger()?.by ?? "" });
  const around = {
    cluster,
    clock,
    progress,
    signal,
    lost: lock.lost,
    superseded: lock.yieldRequested,
  };
  return whileListening(
    [
      [signal, stop],
      [lock.yieldRequested, giveWay],
    ],
    () => applyPlan(planned.plan, around, options.limits),
  );
}

/**
 * Records the end of the run, so that the releases match the cluster. After a complete deletion no
 * releases are left.
 */
async function recordHowItEnded(
  run: Run,
  result: ApplyResult,
  superseded: Challenger | undefined,
): Promise<Recorded & Pick<DeployedOutcome, "remainder">> {
  const { world, context, desired, planned, running, record } = run;
  const { plan, recorded } = planned;
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
    else await pruneOrphanedParts(context.lock.cluster, recorded, done.release);
  }
  return { ...done, remainder: ended?.remainder };
}

function previousAfter({ planned, record }: Run, release: Release): number | undefined {
  const { releases } = planned.recorded;
  const isNew = record.written() !== undefined;
  return previousRelease(isNew ? [release, ...releases] : releases)?.revision;
}

function withNoticesOf(plan: Plan, { warnings = [] }: DesiredState, result: ApplyResult): Plan {
  return { ...plan, notices: [...warnings, ...plan.notices, ...(result.notices ?? [])] };
}

function lockLost(deployment: string): UserError {
  return new UserError([
    {
      code: "lock-lost",
      where: [],
      what: `The deployment lock of "${deployment}" was lost during planning`,
      why: "Another run might be deploying it now",
      fix: "Run this again when the other run has ended",
    },
  ]);
}

/**
 * Returns the event for a rollback that a user requested. A rollback after a failure has already
 * reported one.
 */
function backTo(
  { clock }: World,
  { recorded }: ExecutablePlan,
  desired: DesiredState,
): DeployEvent | undefined {
  const revision = rollbackTarget(desired);
  if (revision === undefined || desired.onlyKeys !== undefined) return undefined;
  const release = recorded.releases.find((each) => each.revision === revision);
  if (release === undefined) return undefined;
  const to = rollbackTargetText(release, clock.now().toISOString());
  return { type: "rolling-back", revision, to };
}

function plannedEvent(plan: Plan, { timeoutMs }: DeployOptions["limits"]): DeployEvent {
  const unchanged = plan.changes.filter(
    (change) => change.action === "unchanged" && !change.isCreatedByThisRun,
  ).length;
  const upserts = plan.changes.length - unchanged;
  return { type: "planned", upserts, deletions: plan.deletions.length, unchanged, timeoutMs };
}

function endingOf({
  succeeded,
  stopped,
}: ApplyResult): "succeeded" | "failed" | "cancelled" | "superseded" {
  if (succeeded) return "succeeded";
  return stopped === "cancelled" || stopped === "superseded" ? stopped : "failed";
}

/**
 * Returns the planning context. The source of a correction is that of its release, not the
 * checkout.
 */
async function contextFor(world: World, context: DeployContext, { corrects }: DesiredState) {
  const planning = await contextUnderLock(world, context);
  return corrects === undefined ? planning : { ...planning, source: corrects.source };
}
