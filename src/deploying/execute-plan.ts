import { applyPlan } from "../apply/apply-plan.ts";
import type { ApplyContext } from "../apply/run.ts";
import type { ApplyResult } from "../apply/summarize-run.ts";
import { unlessAborted, whileListening } from "../model/abort-signals.ts";
import type { Challenger } from "../model/cluster/deployment-lock.ts";
import type { DeployRequest } from "../model/deployments/deploy-request.ts";
import type { DeployEvent } from "../model/deployments/event.ts";
import type { Release } from "../model/deployments/release.ts";
import { createReleaseHistory } from "../model/deployments/release-history.ts";
import { hooksOf, type Plan } from "../model/plan/plan.ts";
import { UserError } from "../model/problems/errors.ts";
import { type DesiredState, rollbackTarget } from "../planning/desired-state.ts";
import { planDeployment } from "../planning/plan-deployment.ts";
import { type ExecutablePlan, requireExecutable } from "../planning/planned-deployment.ts";
import type { Cluster } from "../ports/kubernetes.ts";
import type { World } from "../ports/world.ts";
import { changesCluster, currentIfOnlyDeletions } from "../releases/current-release.ts";
import { previousRelease } from "../releases/previous-release.ts";
import { rollbackTargetText } from "../releases/select.ts";
import { pruneOrphanedParts } from "../releases/store.ts";
import { contextUnderLock } from "./create-planning-context.ts";
import type { DeployedOutcome, DeployOutcome } from "./deploy-outcome.ts";
import { endDeployment } from "./recording/end-deployment.ts";
import { recordBeforeWrites, recordOnce } from "./recording/pending-release.ts";
import {
  pruneOldReleases,
  type RecordedResult,
  recordOnCurrentRelease,
  recordOutcome,
  withProblems,
} from "./recording/record-end.ts";
import { recordTimes, type TimedProgress } from "./recording/record-times.ts";
import type { DeployContext } from "./with-lock.ts";
import { supersededBeforeStart } from "./yield-rules.ts";

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
    async () => planDeployment(await executionContext(world, context, desired), desired),
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
  const rollback = rollbackEvent(world, planned, desired);
  if (rollback !== undefined) progress.report(rollback);
  progress.report(plannedEvent(planned.plan, context.request.limits));
  world.signal.throwIfAborted();
  if (lock.lost.aborted) throw lockLostError(deployment.name);
  if (lock.yieldRequested.aborted)
    return { type: "superseded", why: supersededBeforeStart(deployment.name, lock) };
  const retained = retainedRelease(planned, desired);
  const record = recordOnce(world, context, planned, desired);
  if (retained === undefined) await record.write();
  const run: PlanExecution = { world, context, desired, planned, retained, record, progress };
  const result = await applyUnderLock(run);
  const superseded = result.stopped === "superseded" ? lock.challenger() : undefined;
  const timeline = progress.timeline();
  const { remainder, ...done } = await recordRunEnd(run, result, superseded);
  progress.report({ type: "finished", ending: runEnding(done.result) });
  return {
    type: "deployed",
    plan: withRunNotices(planned.plan, desired, result),
    ...done,
    timeline,
    superseded,
    isNewRelease: record.written() !== undefined,
    rollbackOf: desired.rollbackOf,
    previous: previousRevision(run, done.release),
    isFirst: !planned.recorded.releases.some(({ status }) => status === "succeeded"),
    rollback: planned.rollback,
    remainder,
  };
}

function markBegun(planned: ExecutablePlan, { createdBeforeLock }: DeployContext): ExecutablePlan {
  if (createdBeforeLock === undefined) return planned;
  const changes = planned.plan.changes.map((change) =>
    change.key === createdBeforeLock ? { ...change, isCreatedByThisRun: true as const } : change,
  );
  return { ...planned, plan: { ...planned.plan, changes } };
}

/** The parts of a run that don't change after planning. */
interface PlanExecution {
  readonly world: World;
  readonly context: DeployContext;
  readonly desired: DesiredState;
  readonly planned: ExecutablePlan;
  /** The release that stays the newest; undefined if this run creates a new one. */
  readonly retained: Release | undefined;
  readonly record: ReturnType<typeof recordOnce>;
  readonly progress: TimedProgress;
}

/**
 * Returns the release that stays the newest. For a correction it is the corrected release, whose
 * record already contains the objects and the inventory.
 */
function retainedRelease(planned: ExecutablePlan, { corrects }: DesiredState) {
  const { recorded } = planned;
  return corrects ?? currentIfOnlyDeletions(planned, recorded, recorded.unreadable);
}

/**
 * Applies the plan to its end, or until something stops it: Ctrl-C, a lost lock, or a newer run
 * that requests the lock.
 */
async function applyUnderLock(run: PlanExecution): Promise<ApplyResult> {
  const { world, context, desired, retained, record, progress } = run;
  const { signal } = world;
  const { lock, request } = context;
  const isRecorded = retained === undefined || desired.corrects !== undefined;
  const cluster = isRecorded ? lock.cluster : recordBeforeWrites(lock.cluster, record.write);
  const stop = () => progress.report({ type: "stopping" });
  const reportSuperseded = () =>
    progress.report({ type: "giving-way", by: lock.challenger()?.by ?? "" });
  return whileListening(
    [
      [signal, stop],
      [lock.yieldRequested, reportSuperseded],
    ],
    () => applyPlan(planToApply(run), applyContext(run, cluster), request.limits),
  );
}

function applyContext({ world, context, progress }: PlanExecution, cluster: Cluster): ApplyContext {
  const { clock, probe, hash, signal } = world;
  const { lost, yieldRequested: superseded } = context.lock;
  return { cluster, clock, probe, hash, progress, signal, lost, superseded };
}

/**
 * Deletes the hooks of a deletion after its record. Until then, their existence shows another
 * attempt that they have run.
 */
async function deleteHooks(
  run: PlanExecution,
  { release, result }: RecordedResult,
): Promise<RecordedResult> {
  const { hookDeletions } = result;
  if (hookDeletions === undefined || !result.succeeded) return { release, result };
  const { lock, request } = run.context;
  const done = await applyPlan(hookDeletions, applyContext(run, lock.cluster), request.limits);
  const outcomes = new Map(done.results.map((each) => [each.key, each]));
  const results = result.results.map((each) => outcomes.get(each.key) ?? each);
  const { succeeded, failures, stopped, stillServing } = done;
  return { release, result: { ...result, results, succeeded, failures, stopped, stillServing } };
}

/** Returns the plan. If it changes nothing, the current release has already passed the checks. */
function planToApply({ planned: { plan }, retained }: PlanExecution): Plan {
  if (retained === undefined || changesCluster(plan)) return plan;
  return { ...plan, checks: [], gates: [], hasCheckJobs: false };
}

/**
 * Records the end of the run, so that the releases match the cluster. After a complete deletion no
 * releases are left.
 */
async function recordRunEnd(
  run: PlanExecution,
  result: ApplyResult,
  superseded: Challenger | undefined,
): Promise<RecordedResult & Pick<DeployedOutcome, "remainder">> {
  const { world, context, desired, planned, retained, record } = run;
  const { plan, recorded } = planned;
  const pending = record.written();
  const end =
    pending === undefined && retained !== undefined
      ? await recordOnCurrentRelease(
          world,
          context,
          { planned, release: retained, result },
          desired,
        )
      : await recordOutcome(world, context, { plan, result, superseded }, pending);
  const recordedEnd = await deleteHooks(run, end);
  const ended =
    desired.deletes === true ? await endDeployment(context, plan, recordedEnd.result) : undefined;
  const done = withProblems(recordedEnd, ended?.problems ?? []);
  if (ended?.remainder !== "nothing") {
    if (pending !== undefined) await pruneOldReleases(done, context, recorded);
    else await pruneOrphanedParts(context.lock.cluster, recorded, done.release);
  }
  return { ...done, remainder: ended?.remainder };
}

function previousRevision(
  { planned, record }: PlanExecution,
  release: Release,
): number | undefined {
  const { recorded } = planned;
  const isNew = record.written() !== undefined;
  const history = isNew ? createReleaseHistory([release, ...recorded.releases]) : recorded;
  return previousRelease(history)?.revision;
}

function withRunNotices(plan: Plan, { warnings = [] }: DesiredState, result: ApplyResult): Plan {
  return { ...plan, notices: [...warnings, ...plan.notices, ...(result.notices ?? [])] };
}

function lockLostError(deployment: string): UserError {
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
function rollbackEvent(
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

function plannedEvent(plan: Plan, { timeoutMs }: DeployRequest["limits"]): DeployEvent {
  const unchanged = plan.changes.filter(
    (change) => change.action === "unchanged" && !change.isCreatedByThisRun,
  ).length;
  const upserts = plan.changes.length - unchanged;
  const deletions = plan.deletions.length + hooksOf(plan).length;
  return { type: "planned", upserts, deletions, unchanged, timeoutMs };
}

function runEnding({
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
async function executionContext(world: World, context: DeployContext, { corrects }: DesiredState) {
  const planning = await contextUnderLock(world, context);
  return corrects === undefined ? planning : { ...planning, source: corrects.source };
}
