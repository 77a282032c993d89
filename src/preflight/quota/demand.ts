import { ephemeralClaimTemplate } from "../../model/cluster/persistent-volume-claims.ts";
import { sumAmounts } from "../../model/cluster/pod-resources.ts";
import { podSpecOf } from "../../model/cluster/pods.ts";
import { at, fieldOf, type Json, type JsonObject, listAt, sameJson } from "../../model/json.ts";
import { groupOf, type KubeObject, uidOf } from "../../model/object.ts";
import type { Change } from "../../model/plan.ts";
import { type ClusterFacts, knownOf } from "../facts.ts";
import { asPlanned, keepsTemplate, specOfOnePod } from "../planned-pods.ts";
import type { Admitted } from "../rollouts/admission.ts";
import { claimsOfSet, defaultClass } from "../rollouts/claims.ts";
import { controllerOf, ownedBy } from "../rollouts/cluster-state.ts";
import { podCounts } from "./pod-counts.ts";
import { times, type Usage, usageOfClaim, usageOfPod, usageWhileRunning } from "./usage.ts";
import { usageOfItself } from "./usage-of-object.ts";

/** The demand of a change for a quota, in addition to its current usage. */
export interface Demand {
  readonly change: Change;
  /** One of the Pods that it creates; undefined if it creates none. */
  readonly pod: JsonObject | undefined;
  /** The additional usage at the end. */
  readonly final: Usage;
  /** The additional usage when the rollout is at its largest. */
  readonly peak: Usage;
  /** The smallest additional usage that the rollout needs at some moment to make progress. */
  readonly step: Usage;
  /** The usage of all Pods that it must create, whether they replace others or not. */
  readonly made: Usage;
  /**
   * The usage after its Pods have ended, if the deployment waits for that; undefined if they stay.
   */
  readonly afterEnd?: Usage | undefined;
  /** The number of Pods now, at the end, and at the peak. */
  readonly pods: { readonly now: number; readonly final: number; readonly peak: number };
}

const nothing: Usage = new Map();

/**
 * Computes the demand by the counted Pods, as admission will change them in this deployment.
 * Returns undefined for an unchanged object.
 */
export function demandOf(
  change: Change,
  facts: ClusterFacts,
  isCounted: (pod: JsonObject) => boolean,
  admit: (pod: Admitted) => JsonObject,
): Demand | undefined {
  if (change.action === "unchanged") return undefined;
  const usualClass = defaultClass(knownOf(facts.storageClasses));
  const planned = asPlanned(change);
  const created = usageOfItself(change, usualClass);
  const before = change.live === undefined ? undefined : podSpecOf(change.live)?.spec;
  const after = podSpecOf(planned)?.spec;
  // The current admission rules have admitted the running Pods.
  const former = specOfOnePod(change, facts);
  const sample =
    former && after && admit({ spec: former, declared: after, namespace: change.id.namespace });
  const rollout = podCounts(planned, change, sample, facts);
  if (!former || !after || !sample || !rollout) {
    const pods = { now: 0, final: 0, peak: 0 };
    const same = { final: created, peak: created, step: created, made: created };
    return { change, pod: undefined, ...same, pods };
  }
  const usageOf = (pod: JsonObject) => (isCounted(pod) ? usageOfPod(pod, usualClass) : nothing);
  const one = usageOf(sample);
  const isOther = before !== undefined && !sameJson(countedIn(before), countedIn(after));
  const running = isOther ? (runningPod(change, facts) ?? before) : former;
  const old = usageOf(running);
  const { now, final, surge, unavailable } = rollout;
  const released = times(old, -now);
  const isRolled = facts.samplePods.has(change.key) && !keepsTemplate(change);
  const finished = sumAmounts(
    created,
    times(one, final),
    released,
    history(planned, isRolled),
    claims(change, facts),
  );
  const isAtOnce = now === 0 || !isRolled;
  // New Pods run together with all old ones after a scale-down, and the last new Pod with some of
  // them.
  const beside = (count: number) =>
    sumAmounts(created, times(one, Math.min(count, final)), times(old, -Math.max(0, now - final)));
  const peak = isAtOnce
    ? finished
    : largest(beside(surge), sumAmounts(finished, times(old, Math.min(surge, now))));
  const isBlueGreen = at(planned, "spec", "strategy", "blueGreen") !== undefined;
  const least = isBlueGreen ? peak : largest(beside(1), sumAmounts(finished, old));
  const step = isAtOnce || unavailable > 0 ? finished : least;
  const counted = isCounted(running) ? now : 0;
  const pods = { now: counted, final, peak: isAtOnce ? final : final + surge };
  const made = isRolled ? times(one, final) : finished;
  const isEnding = isJob(planned) && final > 0;
  const ending = isCounted(sample) ? usageWhileRunning(sample) : nothing;
  const afterEnd = isEnding ? sumAmounts(finished, times(ending, -final)) : undefined;
  return { change, pod: sample, final: finished, peak, step, made, pods, afterEnd };
}

/**
 * Reports whether the object is a Job.
 * A deployment waits until a Job is complete; a suspended Job has no Pods.
 */
function isJob({ apiVersion, kind }: KubeObject): boolean {
  return groupOf(apiVersion) === "batch" && kind === "Job";
}

/** Returns the spec of a running Pod, which contains the changes by admission. */
function runningPod({ live }: Change, facts: ClusterFacts): JsonObject | undefined {
  const uid = live === undefined ? "" : uidOf(live);
  const makers = [uid, ...ownedBy(uid, knownOf(facts.replicaSets)).map(uidOf)];
  const found = knownOf(facts.pods).find((pod) => makers.includes(controllerOf(pod) ?? "none"));
  return found && podSpecOf(found)?.spec;
}

function largest(a: Usage, b: Usage): Usage {
  const names = new Set([...a.keys(), ...b.keys()]);
  return new Map([...names].map((name) => [name, Math.max(a.get(name) ?? 0, b.get(name) ?? 0)]));
}

/** Counts one more ReplicaSet or revision for a new template; the old one stays as history. */
function history({ apiVersion, kind }: KubeObject, isRolled: boolean): Usage {
  const kept = fieldOf(keepers, `${groupOf(apiVersion)}/${kind}`);
  return kept !== undefined && isRolled ? new Map([[kept, 1]]) : nothing;
}

const keepers: Readonly<Record<string, string>> = {
  "apps/Deployment": "count/replicasets.apps",
  "argoproj.io/Rollout": "count/replicasets.apps",
  "apps/StatefulSet": "count/controllerrevisions.apps",
  "apps/DaemonSet": "count/controllerrevisions.apps",
};

function claims(change: Change, facts: ClusterFacts): Usage {
  const usualClass = defaultClass(knownOf(facts.storageClasses));
  const { present, made } = claimsOfSet(change, knownOf(facts.claims));
  // A running set already has its claims, but qvs hasn't read them.
  if (change.live !== undefined && present.length === 0) return nothing;
  return sumAmounts(...made.map((claim) => usageOfClaim(claim, usualClass)));
}

/** Returns the fields that decide how much a Pod counts, and in which quotas. */
function countedIn(spec: JsonObject): Json {
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
