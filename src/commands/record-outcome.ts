import type { ApplyResult } from "../apply/result.ts";
import type { KubeObject } from "../model/object.ts";
import type { Problem } from "../model/problem.ts";
import type { Release } from "../model/release.ts";
import { finishRelease } from "../releases/record.ts";
import type { DeployOutcome } from "./carry-out.ts";
import { catchProblems } from "./catch-problems.ts";
import { pruneReleases, type RecordedReleases, recordEnd } from "./release-store.ts";
import type { DeployContext } from "./under-lock.ts";
import type { World } from "./world.ts";

/**
 * Records how it ended. What was changed stays changed when that fails: it is a failure of this run, not a refusal
 * to begin, and the pending record makes the next run finish the work.
 */
export async function recordOutcome(
  world: World,
  { target }: DeployContext,
  { plan, release: pending, result }: DeployOutcome,
  head: KubeObject,
): Promise<DeployOutcome> {
  const finishedAt = world.clock.now().toISOString();
  const release = finishRelease(pending, plan, { ...result, finishedAt });
  const recorded = await catchProblems(() => recordEnd(target.cluster, release, head, world));
  if (recorded.ok) return { plan, release, result };
  return { plan, release: pending, result: withoutRecord(result, release, recorded.problems) };
}

function withoutRecord(
  result: ApplyResult,
  { revision }: Release,
  problems: readonly Problem[],
): ApplyResult {
  const name = `Record of release ${revision}`;
  const about = { key: name, name, resource: undefined, evidence: undefined };
  const failures = problems.map(({ what, fix }) => ({ ...about, what, fix }));
  return { ...result, succeeded: false, failures: [...result.failures, ...failures] };
}

/** After a failure too: somebody who tries again and again must not fill the namespace with records. */
export async function pruneAfter(
  { release, result }: DeployOutcome,
  { lock, options }: DeployContext,
  recorded: RecordedReleases,
): Promise<void> {
  // Without a recorded end the cluster is out of reach, and without the lock another run may be at work.
  if (release.status === "pending" || lock.lost.aborted) return;
  const kept = result.results.filter(({ outcome }) => outcome === "kept").map(({ key }) => key);
  const needed = { keys: kept, newest: options.keepReleases };
  await pruneReleases(lock.cluster, recorded, release, needed);
}
