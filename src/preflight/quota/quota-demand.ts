import { idleReason, isJob } from "../../model/cluster/jobs.ts";
import { controllerUid } from "../../model/cluster/owned-objects.ts";
import { ephemeralClaimTemplate } from "../../model/cluster/persistent-volume-claims.ts";
import { sumAmounts } from "../../model/cluster/pod-resources.ts";
import { podSpecOf } from "../../model/cluster/pods.ts";
import {
  at,
  fieldOf,
  type Json,
  type JsonObject,
  listAt,
  numberAt,
  sameJson,
  textAt,
} from "../../model/json.ts";
import { kindKey } from "../../model/kinds.ts";
import { idOf, type KubeObject, uidOf } from "../../model/object.ts";
import type { Change } from "../../model/plan/plan.ts";
import { type ClusterFacts, knownValues } from "../cluster-facts.ts";
import { asPlanned, keepsTemplate, samplePodSpec } from "../planned-pods.ts";
import { defaultStorageClass, statefulSetClaims } from "../rollouts/claim-rules.ts";
import { findOwned } from "../rollouts/cluster-snapshot.ts";
import { countDaemonNodes, isDaemonSet } from "../rollouts/daemon-set-controller.ts";
import type { AdmittedPod } from "../rollouts/planned-admission.ts";
import { resolveShare } from "../rollouts/pod-group.ts";
import {
  changeUsage,
  claimUsage,
  growthUsage,
  multiplyUsage,
  podUsage,
  type QuotaUsage,
  usageWhileRunning,
} from "./quota-usage.ts";

/** The demand of a change for a quota, in addition to its current usage. */
export interface QuotaDemand {
  readonly change: Change;
  /** One of the Pods that it creates; undefined if it creates none. */
  readonly pod: JsonObject | undefined;
  /** The additional usage at the end. */
  readonly final: QuotaUsage;
  /** The additional usage when the rollout is at its largest. */
  readonly peak: QuotaUsage;
  /** The smallest additional usage that the rollout needs at some moment to make progress. */
  readonly step: QuotaUsage;
  /** The usage of all Pods that it must create, whether they replace others or not. */
  readonly made: QuotaUsage;
  /**
   * The usage after its Pods have ended, if the deployment waits for that; undefined if they stay.
   */
  readonly afterEnd?: QuotaUsage | undefined;
  /** The number of Pods now, at the end, and at the peak. */
  readonly pods: { readonly now: number; readonly final: number; readonly peak: number };
}

const nothing: QuotaUsage = new Map();

/**
 * Computes the demand by the counted Pods, as admission will change them in this deployment.
 * Returns undefined for an unchanged object.
 */
export function computeQuotaDemand(
  change: Change,
  facts: ClusterFacts,
  isCounted: (pod: JsonObject) => boolean,
  admit: (pod: AdmittedPod) => JsonObject,
): QuotaDemand | undefined {
  if (change.action === "unchanged") return undefined;
  const defaultClassName = defaultStorageClass(knownValues(facts.storageClasses));
  const planned = asPlanned(change);
  const created = sumAmounts(changeUsage(change, defaultClassName), growthUsage(change));
  const before = change.live === undefined ? undefined : podSpecOf(change.live)?.spec;
  const after = podSpecOf(planned)?.spec;
  // The current admission rules have admitted the running Pods.
  const currentPod = samplePodSpec(change, facts);
  const sample =
    currentPod &&
    after &&
    admit({ spec: currentPod, declared: after, namespace: change.id.namespace });
  const rollout = podCounts(planned, change, sample, facts);
  if (!currentPod || !after || !sample || !rollout) {
    const pods = { now: 0, final: 0, peak: 0 };
    const same = { final: created, peak: created, step: created, made: created };
    return { change, pod: undefined, ...same, pods };
  }
  const countedUsage = (pod: JsonObject) =>
    isCounted(pod) ? podUsage(pod, defaultClassName) : nothing;
  const one = countedUsage(sample);
  const isChanged =
    before !== undefined && !sameJson(quotaRelevantFields(before), quotaRelevantFields(after));
  const running = isChanged ? (runningPodSpec(change, facts) ?? before) : currentPod;
  const old = countedUsage(running);
  const { now, final, surge, unavailable } = rollout;
  const released = multiplyUsage(old, -now);
  const isRolled = facts.samplePods.has(change.key) && !keepsTemplate(change);
  const finished = sumAmounts(
    created,
    multiplyUsage(one, final),
    released,
    historyUsage(planned, isRolled),
    templateClaimUsage(change, facts),
  );
  const isAtOnce = now === 0 || !isRolled;
  // New Pods run together with all old ones after a scale-down, and the last new Pod with some of
  // them.
  const peakUsage = (count: number) =>
    sumAmounts(
      created,
      multiplyUsage(one, Math.min(count, final)),
      multiplyUsage(old, -Math.max(0, now - final)),
    );
  const peak = isAtOnce
    ? finished
    : maxUsage(peakUsage(surge), sumAmounts(finished, multiplyUsage(old, Math.min(surge, now))));
  const isBlueGreen = at(planned, "spec", "strategy", "blueGreen") !== undefined;
  const least = isBlueGreen ? peak : maxUsage(peakUsage(1), sumAmounts(finished, old));
  const step = isAtOnce || unavailable > 0 ? finished : least;
  const counted = isCounted(running) ? now : 0;
  const pods = { now: counted, final, peak: isAtOnce ? final : final + surge };
  const made = isRolled ? multiplyUsage(one, final) : finished;
  const isEnding = isJob(idOf(planned)) && final > 0;
  const ending = isCounted(sample) ? usageWhileRunning(sample) : nothing;
  const afterEnd = isEnding ? sumAmounts(finished, multiplyUsage(ending, -final)) : undefined;
  return { change, pod: sample, final: finished, peak, step, made, pods, afterEnd };
}

/** Returns the spec of a running Pod, which contains the changes by admission. */
function runningPodSpec({ live }: Change, facts: ClusterFacts): JsonObject | undefined {
  const uid = live === undefined ? "" : uidOf(live);
  const creators = [uid, ...findOwned(uid, knownValues(facts.replicaSets)).map(uidOf)];
  const found = knownValues(facts.pods).find((pod) =>
    creators.includes(controllerUid(pod) ?? "none"),
  );
  return found && podSpecOf(found)?.spec;
}

function maxUsage(a: QuotaUsage, b: QuotaUsage): QuotaUsage {
  const names = new Set([...a.keys(), ...b.keys()]);
  return new Map([...names].map((name) => [name, Math.max(a.get(name) ?? 0, b.get(name) ?? 0)]));
}

/** Counts one more ReplicaSet or revision for a new template; the old one stays as history. */
function historyUsage(object: KubeObject, isRolled: boolean): QuotaUsage {
  const kept = fieldOf(historyResources, kindKey(idOf(object)));
  return kept !== undefined && isRolled ? new Map([[kept, 1]]) : nothing;
}

const historyResources: Readonly<Record<string, string>> = {
  "apps/Deployment": "count/replicasets.apps",
  "argoproj.io/Rollout": "count/replicasets.apps",
  "apps/StatefulSet": "count/controllerrevisions.apps",
  "apps/DaemonSet": "count/controllerrevisions.apps",
};

function templateClaimUsage(change: Change, facts: ClusterFacts): QuotaUsage {
  const defaultClassName = defaultStorageClass(knownValues(facts.storageClasses));
  const { present, made } = statefulSetClaims(change, knownValues(facts.claims));
  // A running set already has its claims, but qvs hasn't read them.
  if (change.live !== undefined && present.length === 0) return nothing;
  return sumAmounts(...made.map((claim) => claimUsage(claim, defaultClassName)));
}

/** Returns the fields that decide how much a Pod counts, and in which quotas. */
function quotaRelevantFields(spec: JsonObject): Json {
  const containers = ["containers", "initContainers"].map((list) =>
    listAt(spec, list).map((container) => at(container, "resources") ?? null),
  );
  const { resources, priorityClassName, activeDeadlineSeconds, affinity, runtimeClassName } = spec;
  const claimed = listAt(spec, "volumes").flatMap((volume) => ephemeralClaimTemplate(volume) ?? []);
  const own = [
    resources,
    priorityClassName,
    activeDeadlineSeconds,
    affinity,
    claimed,
    runtimeClassName,
  ];
  return [containers, own.map((each) => each ?? null)];
}

interface PodCounts {
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
function podCounts(
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
