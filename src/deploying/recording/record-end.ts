import type { ApplyResult } from "../../apply/summarize-run.ts";
import type { Release } from "../../model/deployments/release.ts";
import { catchProblems } from "../../model/problems/errors.ts";
import type { Problem } from "../../model/problems/problem.ts";
import type { DesiredState } from "../../planning/desired-state.ts";
import type { ExecutablePlan } from "../../planning/planned-deployment.ts";
import type { World } from "../../ports/world.ts";
import { changesCluster, withCorrection, withLastSeen } from "../../releases/current-release.ts";
import { finishRelease } from "../../releases/record.ts";
import {
  pruneReleases,
  type RecordedReleases,
  recordEnd,
  recordSeen,
} from "../../releases/store.ts";
import type { DeployedOutcome } from "../deploy-outcome.ts";
import type { DeployContext } from "../with-lock.ts";
import type { PendingRecord } from "./pending-release.ts";

/** The result of a plan, and the release that records it. */
export interface RecordedResult {
  readonly release: Release;
  readonly result: ApplyResult;
}

export async function recordOnCurrentRelease(
  world: World,
  context: DeployContext,
  run: RecordedResult & { readonly planned: ExecutablePlan },
  desired: DesiredState,
): Promise<RecordedResult> {
  if (desired.corrects === undefined) return recordUnchanged(world, context, run, desired);
  return recordCorrection(world, context, run);
}

/** Records a correction. A correction without changes writes nothing. */
async function recordCorrection(
  world: World,
  { lock }: DeployContext,
  { planned, release, result }: RecordedResult & { readonly planned: ExecutablePlan },
): Promise<RecordedResult> {
  const { plan, recorded } = planned;
  if (!changesCluster(plan)) return { release, result };
  const at = world.clock.now().toISOString();
  const corrected = withCorrection(release, plan, result, { ...world.origin, at });
  const noted = await catchProblems(() => recordSeen(lock.cluster, corrected, recorded, world));
  if (noted.ok) return { release: corrected, result };
  return { release, result: withRecordFailure(result, release, noted.problems) };
}

/**
 * Records a deployment without changes in the current release.
 * A run proves its commit only if all objects are ready. A rollback, or a run of one stage, proves
 * nothing about the commit.
 */
async function recordUnchanged(
  world: World,
  { lock }: DeployContext,
  { planned, release, result }: RecordedResult & { readonly planned: ExecutablePlan },
  { rollbackOf, deletes }: DesiredState,
): Promise<RecordedResult> {
  const { plan, recorded, source } = planned;
  const isFromCommit = rollbackOf === undefined && deletes === undefined;
  const provesCommit = isFromCommit && plan.onlyStage === release.onlyStage;
  if (!result.succeeded || !provesCommit) return { release, result };
  const seen = withLastSeen(release, source, world.clock.now().toISOString());
  const noted = await catchProblems(() => recordSeen(lock.cluster, seen, recorded, world));
  if (noted.ok) return { release: seen, result };
  return { release, result: withRecordFailure(result, release, noted.problems) };
}

/**
 * Records the end of the run.
 * If that fails, the changes stay and the run fails. The pending record lets the next run finish
 * the work.
 */
export async function recordOutcome(
  world: World,
  { target }: DeployContext,
  { plan, result, superseded }: Pick<DeployedOutcome, "plan" | "result" | "superseded">,
  pending: PendingRecord | undefined,
): Promise<RecordedResult> {
  if (pending === undefined) throw new Error("a plan was executed without a record");
  const finishedAt = world.clock.now().toISOString();
  const release = finishRelease(pending.release, plan, { ...result, finishedAt, superseded });
  const recorded = await catchProblems(() =>
    recordEnd(target.cluster, release, pending.head, world),
  );
  if (recorded.ok) return { release, result };
  const { release: unfinished } = pending;
  return { release: unfinished, result: withRecordFailure(result, release, recorded.problems) };
}

function withRecordFailure(
  result: ApplyResult,
  { revision }: Release,
  problems: readonly Problem[],
): ApplyResult {
  return withFailures(result, `Record of release ${revision}`, problems);
}

export function withProblems(
  { release, result }: RecordedResult,
  problems: readonly Problem[],
): RecordedResult {
  if (problems.length === 0) return { release, result };
  return { release, result: withFailures(result, "Releases", problems) };
}

function withFailures(
  result: ApplyResult,
  name: string,
  problems: readonly Problem[],
): ApplyResult {
  const about = { key: name, name, resource: undefined, evidence: undefined };
  const failures = problems.map(({ where: _, subjects: __, ...explanation }) => ({
    ...about,
    ...explanation,
  }));
  return { ...result, succeeded: false, failures: [...result.failures, ...failures] };
}

/**
 * Prunes old releases, after a failure too. Repeated attempts must not fill the namespace with
 * records.
 */
export async function pruneOldReleases(
  { release, result }: RecordedResult,
  { lock, request }: DeployContext,
  recorded: RecordedReleases,
): Promise<void> {
  // Without a recorded end the cluster is unreachable. Without the lock, another run can be in
  // progress.
  if (release.status === "pending" || lock.lost.aborted) return;
  const kept = result.results.filter(({ outcome }) => outcome === "kept").map(({ key }) => key);
  const needed = { keys: kept, newest: request.keepReleases };
  await pruneReleases(lock.cluster, recorded, release, needed);
}
