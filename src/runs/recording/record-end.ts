import type { ApplyResult } from "../../apply/result.ts";
import { catchProblems } from "../../model/problems/errors.ts";
import type { Problem } from "../../model/problems/problem.ts";
import type { Release } from "../../model/release.ts";
import type { DesiredState } from "../../planning/desired-state.ts";
import type { ExecutablePlan } from "../../planning/planned-deployment.ts";
import type { World } from "../../ports/world.ts";
import { finishRelease } from "../../releases/record.ts";
import { changesCluster, correctedBy, seenBy } from "../../releases/running-release.ts";
import {
  pruneReleases,
  type RecordedReleases,
  recordEnd,
  recordSeen,
} from "../../releases/store.ts";
import type { DeployedOutcome } from "../deploy-outcome.ts";
import type { DeployContext } from "../with-lock.ts";
import type { Pending } from "./pending-release.ts";

/** What came of a plan, and the release that it is recorded in. */
export interface Recorded {
  readonly release: Release;
  readonly result: ApplyResult;
}

export async function recordOnRunning(
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
export async function recordOutcome(
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

export function withProblems(
  { release, result }: Recorded,
  problems: readonly Problem[],
): Recorded {
  if (problems.length === 0) return { release, result };
  return { release, result: withFailures(result, "Releases", problems) };
}

function withFailures(
  result: ApplyResult,
  name: string,
  problems: readonly Problem[],
): ApplyResult {
  const about = { key: name, name, resource: undefined, evidence: undefined };
  const failures = problems.map(({ code, what, fix, inputs }) => ({
    ...about,
    ...{ code, what, fix, inputs },
  }));
  return { ...result, succeeded: false, failures: [...result.failures, ...failures] };
}

/** After a failure too: somebody who tries again and again must not fill the namespace with records. */
export async function pruneAfter(
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
