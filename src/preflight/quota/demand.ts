import { ephemeralClaimOf } from "../../model/cluster/claims.ts";
import { whyIdle } from "../../model/cluster/idle-job.ts";
import { sumOf } from "../../model/cluster/pod-resources.ts";
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
import { groupOf, type KubeObject, uidOf } from "../../model/object.ts";
import type { Change } from "../../model/plan.ts";
import { type ClusterFacts, knownOf } from "../facts.ts";
import { asPlanned, keepsTemplate, specOfOnePod } from "../planned-pods.ts";
import type { Admitted } from "../rollouts/admission.ts";
import { claimsOfSet, defaultClass, ephemeralClaims } from "../rollouts/claims.ts";
import { controllerOf, ownedBy } from "../rollouts/cluster-state.ts";
import { nodesForDaemon } from "../rollouts/daemon-set.ts";
import { resolveShare } from "../rollouts/group.ts";
import { schedulingNode } from "../scheduling/node.ts";
import { shapeOf } from "../scheduling/pod-shape.ts";
import { labelsAt } from "../scheduling/selectors.ts";
import { times, type Usage, usageOfClaim, usageOfPod, usageWhileRunning } from "./usage.ts";

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
  const rollout = isDaemonSet(planned)
    ? rolloutOfDaemons(planned, change, sample, facts)
    : rolloutOf(planned, change.live);
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

interface Rollout {
  /** Pods that are there now. */
  readonly now: number;
  readonly final: number;
  /** How many more there may be meanwhile. */
  readonly surge: number;
  /** How many may leave before a new one has come. */
  readonly unavailable: number;
}

function rolloutOf(planned: KubeObject, live: KubeObject | undefined): Rollout | undefined {
  const group = groupOf(planned.apiVersion);
  const final = numberAt(planned, "spec", "replicas") ?? 1;
  const now = numberAt(live, "status", "replicas") ?? 0;
  switch (`${group}:${planned.kind}`) {
    case "apps:Deployment": {
      if (textAt(planned, "spec", "strategy", "type") === "Recreate")
        return leavingFirst(now, final);
      const rolling = at(planned, "spec", "strategy", "rollingUpdate");
      const surge = countOf(at(rolling, "maxSurge"), final, Math.ceil);
      const unavailable = countOf(at(rolling, "maxUnavailable"), final, Math.floor);
      return { now, final, surge, unavailable: surge + unavailable === 0 ? 1 : unavailable };
    }
    case "argoproj.io:Rollout":
      return rolloutOfArgo(planned, now, final);
    case "apps:StatefulSet":
      return leavingFirst(now, final);
    case "apps:ReplicaSet":
    case ":ReplicationController":
      return leavingFirst(now, final);
    case "batch:Job": {
      // With room for one Pod it completes, one after the other.
      const isIdle = whyIdle(planned) !== undefined;
      return leavingFirst(numberAt(live, "status", "active") ?? 0, isIdle ? 0 : 1);
    }
    case ":Pod":
      return leavingFirst(live === undefined ? 0 : 1, 1);
    default:
      return undefined;
  }
}

/** A deployment waits until it is complete; one that is suspended has no Pods. */
function isJob({ apiVersion, kind }: KubeObject): boolean {
  return groupOf(apiVersion) === "batch" && kind === "Job";
}

function isDaemonSet({ apiVersion, kind }: KubeObject): boolean {
  return groupOf(apiVersion) === "apps" && kind === "DaemonSet";
}

/** One Pod for each node that may have one; undefined where nodes can't be read. */
function rolloutOfDaemons(
  planned: KubeObject,
  { key, id, live }: Change,
  pod: JsonObject | undefined,
  facts: ClusterFacts,
): Rollout | undefined {
  const { nodes, samplePods } = facts;
  if (!nodes.known || pod === undefined) return undefined;
  const now = numberAt(live, "status", "currentNumberScheduled") ?? 0;
  const labels = labelsAt(at(planned, "spec", "template", "metadata", "labels"));
  const around = {
    namespaces: new Map(),
    claims: new Map(),
    ephemeralClaim: ephemeralClaims(facts),
  };
  const shape = shapeOf({ namespace: id.namespace, labels, spec: pod }, around);
  const isPlaced = live === undefined || samplePods.has(key);
  const final = isPlaced
    ? nodesForDaemon(
        shape,
        nodes.value.map((each) => schedulingNode(each)),
      ).length
    : now;
  const rolling = at(planned, "spec", "updateStrategy", "rollingUpdate");
  const surge = resolveShare(at(rolling, "maxSurge") ?? 0, final, Math.ceil);
  return surge > 0 ? { now, final, surge, unavailable: 0 } : leavingFirst(now, final);
}

/** The new colour is complete before the old one goes; a canary is replaced like a Deployment. */
function rolloutOfArgo(planned: KubeObject, now: number, final: number): Rollout {
  if (at(planned, "spec", "strategy", "blueGreen") !== undefined) {
    return { now, final, surge: now, unavailable: 0 };
  }
  const canary = at(planned, "spec", "strategy", "canary");
  const surge = countOf(at(canary, "maxSurge"), final, Math.ceil);
  const unavailable = countOf(at(canary, "maxUnavailable"), final, Math.floor);
  return { now, final, surge, unavailable: surge + unavailable === 0 ? 1 : unavailable };
}

function leavingFirst(now: number, final: number): Rollout {
  return { now, final, surge: 0, unavailable: Math.max(now, 1) };
}

/** 25 % where nothing is said, which the server fills in. */
function countOf(value: Json | undefined, replicas: number, round: (n: number) => number): number {
  if (typeof value === "number") return value;
  const [, percent = "25"] = /^(\d+)%$/.exec(typeof value === "string" ? value : "") ?? [];
  return round((replicas * Number(percent)) / 100);
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

/** How much more than now: a Service may get node ports, and a claim may grow. */
function usageOfItself(change: Change, usualClass: string | undefined): Usage {
  const { live, desired, shows } = change;
  if (live === undefined) return usageOfObject(desired, usualClass);
  if (shows !== undefined) return nothing;
  const more = sumOf(
    usageOfObject(asPlanned(change), usualClass),
    times(usageOfObject(live, usualClass), -1),
  );
  return new Map([...more].filter(([, amount]) => amount !== 0));
}

/** The object itself, by what quotas call its kind. */
function usageOfObject(object: KubeObject, usualClass: string | undefined): Usage {
  const { apiVersion, kind } = object;
  const group = groupOf(apiVersion);
  if (kind === "Pod" && group === "") return nothing;
  if (kind === "PersistentVolumeClaim" && group === "") return usageOfClaim(object, usualClass);
  const plural = pluralOf(kind);
  const own: Usage = new Map([[`count/${plural}${group === "" ? "" : `.${group}`}`, 1]]);
  if (group !== "" || !countedByName.has(plural)) return own;
  return sumOf(own, new Map([[plural, 1]]), kind === "Service" ? usageOfService(object) : nothing);
}

function usageOfService(service: KubeObject): Usage {
  const type = textAt(service, "spec", "type") ?? "ClusterIP";
  return new Map([
    ["services.loadbalancers", Number(type === "LoadBalancer")],
    ["services.nodeports", nodePortsOf(service, type)],
  ]);
}

/** A load balancer may do without those that are not declared. */
function nodePortsOf(service: KubeObject, type: string): number {
  const ports = listAt(service, "spec", "ports");
  if (type === "NodePort") return ports.length;
  if (type !== "LoadBalancer") return 0;
  if (at(service, "spec", "allocateLoadBalancerNodePorts") !== false) return ports.length;
  return ports.filter((port) => numberAt(port, "nodePort") !== undefined).length;
}

const countedByName: ReadonlySet<string> = new Set([
  ...["configmaps", "secrets", "services", "replicationcontrollers", "resourcequotas"],
]);

/** As the kinds of Kubernetes are called; of a custom kind it may be another one, and then nothing is said. */
function pluralOf(kind: string): string {
  const lower = kind.toLowerCase();
  if (/(s|x|ch|sh)$/.test(lower)) return lower === "endpoints" ? lower : `${lower}es`;
  return /[^aeiou]y$/.test(lower) ? `${lower.slice(0, -1)}ies` : `${lower}s`;
}
