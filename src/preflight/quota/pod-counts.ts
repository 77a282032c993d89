import { idleReason } from "../../model/cluster/jobs.ts";
import { at, type Json, type JsonObject, numberAt, textAt } from "../../model/json.ts";
import { kindKey } from "../../model/kinds.ts";
import { idOf, type KubeObject } from "../../model/object.ts";
import type { Change } from "../../model/plan.ts";
import type { ClusterFacts } from "../cluster-facts.ts";
import { countDaemonNodes, isDaemonSet } from "../rollouts/daemon-set-controller.ts";
import { resolveShare } from "../rollouts/pod-group.ts";

export interface PodCounts {
  /** The current number of Pods. */
  readonly now: number;
  readonly final: number;
  /** The most Pods that can exist above the final number. */
  readonly surge: number;
  /** The most Pods that can end before a new one exists. */
  readonly unavailable: number;
}

/**
 * Counts the Pods of a workload now and after its rollout.
 * Returns undefined if it has no Pods, or the number isn't known.
 */
export function podCounts(
  planned: KubeObject,
  change: Change,
  pod: JsonObject | undefined,
  facts: ClusterFacts,
): PodCounts | undefined {
  return isDaemonSet(planned)
    ? daemonPodCounts(planned, change, pod, facts)
    : workloadPodCounts(planned, change.live);
}

function workloadPodCounts(
  planned: KubeObject,
  live: KubeObject | undefined,
): PodCounts | undefined {
  const final = numberAt(planned, "spec", "replicas") ?? 1;
  const now = numberAt(live, "status", "replicas") ?? 0;
  switch (kindKey(idOf(planned))) {
    case "apps/Deployment": {
      if (textAt(planned, "spec", "strategy", "type") === "Recreate")
        return deleteFirst(now, final);
      const rolling = at(planned, "spec", "strategy", "rollingUpdate");
      const surge = resolveShareOrDefault(at(rolling, "maxSurge"), final, Math.ceil);
      const unavailable = resolveShareOrDefault(at(rolling, "maxUnavailable"), final, Math.floor);
      return { now, final, surge, unavailable: surge + unavailable === 0 ? 1 : unavailable };
    }
    case "argoproj.io/Rollout":
      return rolloutPodCounts(planned, now, final);
    case "apps/StatefulSet":
      return deleteFirst(now, final);
    case "apps/ReplicaSet":
    case "/ReplicationController":
      return deleteFirst(now, final);
    case "batch/Job": {
      // A Job completes with room for one Pod, one Pod after the other.
      const isIdle = idleReason(planned) !== undefined;
      return deleteFirst(numberAt(live, "status", "active") ?? 0, isIdle ? 0 : 1);
    }
    case "/Pod":
      return deleteFirst(live === undefined ? 0 : 1, 1);
    default:
      return undefined;
  }
}

/** Counts one Pod for each node that can have one; returns undefined if qvs can't read nodes. */
function daemonPodCounts(
  planned: KubeObject,
  change: Change,
  pod: JsonObject | undefined,
  facts: ClusterFacts,
): PodCounts | undefined {
  const { key, live } = change;
  const now = numberAt(live, "status", "currentNumberScheduled") ?? 0;
  const nodes = pod && countDaemonNodes(planned, change, pod, facts);
  if (nodes === undefined) return undefined;
  const final = live === undefined || facts.samplePods.has(key) ? nodes : now;
  const rolling = at(planned, "spec", "updateStrategy", "rollingUpdate");
  const surge = resolveShare(at(rolling, "maxSurge") ?? 0, final, Math.ceil);
  return surge > 0 ? { now, final, surge, unavailable: 0 } : deleteFirst(now, final);
}

/**
 * Counts the Pods of a Rollout.
 * In a blue-green update, all new Pods exist before the old ones end. A canary replaces Pods as a
 * Deployment does.
 */
function rolloutPodCounts(planned: KubeObject, now: number, final: number): PodCounts {
  if (at(planned, "spec", "strategy", "blueGreen") !== undefined) {
    return { now, final, surge: now, unavailable: 0 };
  }
  const canary = at(planned, "spec", "strategy", "canary");
  const surge = resolveShareOrDefault(at(canary, "maxSurge"), final, Math.ceil);
  const unavailable = resolveShareOrDefault(at(canary, "maxUnavailable"), final, Math.floor);
  return { now, final, surge, unavailable: surge + unavailable === 0 ? 1 : unavailable };
}

function deleteFirst(now: number, final: number): PodCounts {
  return { now, final, surge: 0, unavailable: Math.max(now, 1) };
}

/** Resolves a number or share of Pods; 25 % is the default of the API server. */
function resolveShareOrDefault(
  value: Json | undefined,
  replicas: number,
  round: (n: number) => number,
): number {
  return resolveShare(value ?? "25%", replicas, round);
}
