import { ephemeralClaimOf } from "../../model/cluster/claims.ts";
import { sumOf } from "../../model/cluster/pod-resources.ts";
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

/** What a change of the plan needs of a quota, beyond what is counted for it now. */
export interface Demand {
  readonly change: Change;
  /** One of the Pods that it makes; undefined where it makes none. */
  readonly pod: JsonObject | undefined;
  /** When it is done. */
  readonly final: Usage;
  /** While the rollout is at its largest. */
  readonly peak: Usage;
  /** The least of which a rollout must have at some moment to come further. */
  readonly step: Usage;
  /** What all its Pods count that have to be made, instead of others or not. */
  readonly made: Usage;
  /** What still counts of it when its Pods have ended, which the deployment waits for; undefined where they are to stay. */
  readonly afterEnd?: Usage | undefined;
  /** How many Pods at the end, and at the peak. */
  readonly pods: { readonly now: number; readonly final: number; readonly peak: number };
}

const nothing: Usage = new Map();

/** Of the Pods that are counted, as this deployment will have them admitted; undefined where nothing is written. */
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
  // What runs was admitted by what there is now.
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
  const finished = sumOf(
    created,
    times(one, final),
    released,
    history(planned, isRolled),
    claims(change, facts),
  );
  const isAtOnce = now === 0 || !isRolled;
  // New Pods come beside all old ones, once these are no more than there are to be; the last of them beside some.
  const beside = (count: number) =>
    sumOf(created, times(one, Math.min(count, final)), times(old, -Math.max(0, now - final)));
  const peak = isAtOnce
    ? finished
    : largest(beside(surge), sumOf(finished, times(old, Math.min(surge, now))));
  const isBlueGreen = at(planned, "spec", "strategy", "blueGreen") !== undefined;
  const least = isBlueGreen ? peak : largest(beside(1), sumOf(finished, old));
  const step = isAtOnce || unavailable > 0 ? finished : least;
  const counted = isCounted(running) ? now : 0;
  const pods = { now: counted, final, peak: isAtOnce ? final : final + surge };
  const made = isRolled ? times(one, final) : finished;
  const isEnding = isJob(planned) && final > 0;
  const ending = isCounted(sample) ? usageWhileRunning(sample) : nothing;
  const afterEnd = isEnding ? sumOf(finished, times(ending, -final)) : undefined;
  return { change, pod: sample, final: finished, peak, step, made, pods, afterEnd };
}

/** A deployment waits until it is complete; one that is suspended has no Pods. */
function isJob({ apiVersion, kind }: KubeObject): boolean {
  return groupOf(apiVersion) === "batch" && kind === "Job";
}

/** With what admission has given it when it was made. */
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

/** A new template is one more ReplicaSet or revision: the old one stays for its history. */
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
  // Whoever runs has some: they were not looked at.
  if (change.live !== undefined && present.length === 0) return nothing;
  return sumOf(...made.map((claim) => usageOfClaim(claim, usualClass)));
}

/** What decides how much a Pod counts, and for which quota. */
function countedIn(spec: JsonObject): Json {
  const containers = ["containers", "initContainers"].map((list) =>
    listAt(spec, list).map((container) => at(container, "resources") ?? null),
  );
  const { resources, priorityClassName, activeDeadlineSeconds, affinity, runtimeClassName } = spec;
  const claimed = listAt(spec, "volumes").flatMap((volume) => ephemeralClaimOf(volume) ?? []);
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
