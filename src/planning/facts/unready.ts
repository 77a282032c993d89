import pLimit from "p-limit";
import pMap from "p-map";
import { describeRemaining } from "../../apply/deletion/read-remaining.ts";
import { readPodReasons } from "../../apply/failure/pod-reason.ts";
import { readVolumeBinding } from "../../apply/readiness/observe-object.ts";
import { computeStatus } from "../../apply/readiness/status/compute-status.ts";
import {
  type Status,
  type StatusBaseline,
  unreadySince,
  waiting,
} from "../../apply/readiness/status/conditions.ts";
import { createSecretScrubber } from "../../apply/secret-scrubber.ts";
import {
  checkRequirements,
  collectRequirements,
  type ReferenceRequirements,
} from "../../apply/upsert/live-references.ts";
import { createHealthEvaluator, type HealthEvaluator } from "../../health/evaluator.ts";
import {
  describePendingDeletion,
  isBeingDeleted,
  isHeldByFinalizer,
} from "../../model/cluster/pending-deletion.ts";
import type { UpstreamDeployments } from "../../model/deployments/other-deployments.ts";
import { textAt } from "../../model/json.ts";
import type { Plan } from "../../model/plan/plan.ts";
import type { Cluster } from "../../ports/kubernetes.ts";
import { type AwaitedUnchanged, awaitedUnchanged } from "../../preflight/awaited-unchanged.ts";
import type { UnreadyObject } from "../../preflight/cluster-facts.ts";

export interface FactsReader {
  readonly cluster: Cluster;
  readonly concurrency: number;
  /** The current time (ISO 8601). */
  readonly now: string;
}

/**
 * Reads the objects that the deployment waits for as they are and that aren't ready now.
 * It uses the rules and the messages of the deployment.
 */
export async function readUnready(
  { cluster, concurrency, now }: FactsReader,
  plan: Plan,
  upstream: UpstreamDeployments,
): Promise<ReadonlyMap<string, UnreadyObject>> {
  const demands = collectRequirements(plan.changes);
  const health = createHealthEvaluator(plan.health);
  const statuses = await pMap(
    awaitedUnchanged(plan, upstream.changes),
    async (awaited) => ({
      ...awaited,
      status: await currentStatus({ cluster, health, now: new Date(now) }, awaited, demands),
    }),
    { concurrency },
  );
  const unready = statuses.flatMap(({ key, live, status }) =>
    status.state === "waiting" || status.state === "failed" ? [{ key, live, status }] : [],
  );
  const objects = unready.map(({ live }) => live);
  const podReason = await readPodReasons(cluster, objects, concurrency);
  const { scrub: hide } = createSecretScrubber(plan);
  const remaining = await readHeldDeletions(cluster, plan, concurrency);
  return new Map([
    ...unready.map(({ key, live, status: { state, why } }) => {
      const reasons = [why, state === "waiting" && podReason(live)].filter(Boolean).join("; ");
      return [key, { state, why: hide(reasons), since: unreadySince(live) }] as const;
    }),
    ...remaining.map(
      ([key, { why, since }]) => [key, { ...heldByFinalizers, why: hide(why), since }] as const,
    ),
  ]);
}

const heldByFinalizers = { state: "waiting" } as const;

/**
 * Reads the current deletions that the finalizers of other controllers hold back; all other causes
 * end soon.
 */
async function readHeldDeletions(cluster: Cluster, { deletions }: Plan, concurrency: number) {
  const limit = pLimit(concurrency);
  const held = deletions.filter(({ live }) => isBeingDeleted(live));
  const read = held.map(async ({ key, live }) => {
    const remaining = await describeRemaining(live, { cluster, limit });
    const since = textAt(live, "metadata", "deletionTimestamp");
    return isHeldByFinalizer(remaining)
      ? [[key, { why: describePendingDeletion(remaining), since }] as const]
      : [];
  });
  return (await Promise.all(read)).flat();
}

interface StatusReader {
  readonly cluster: Cluster;
  readonly health: HealthEvaluator;
  readonly now: Date;
}

/** Judges an object in the same way as the first check of `awaitReady`. */
async function currentStatus(
  { cluster, health, now }: StatusReader,
  { key, live, isAffected, suspends, toleratesFailure }: AwaitedUnchanged,
  demands: ReferenceRequirements,
): Promise<Status> {
  const before: StatusBaseline | undefined = isAffected ? { object: live, at: now } : undefined;
  const binding = await readVolumeBinding(cluster, live);
  const status = computeStatus(live, { now, baseline: before, binding, health, suspends });
  if (status.state === "ready") return checkRequirements(demands.get(key) ?? [], live) ?? status;
  const isTolerated = toleratesFailure && status.state === "failed" && status.isFinal !== true;
  return isTolerated ? waiting(status.why) : status;
}
