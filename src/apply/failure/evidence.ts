import { type StuckPods, stuckPods } from "../../model/cluster/stuck-pods.ts";
import { type Json, listAt, numberAt, textAt } from "../../model/json.ts";
import { annotation, groupOf, idOf, type KubeObject, nameOf, uidOf } from "../../model/object.ts";
import type { Cluster } from "../../ports/kubernetes.ts";
import { conditionsOf, explain, isTrue } from "../readiness/status/conditions.ts";
import { type ContainerState, containersOf } from "../readiness/status/containers.ts";
import { podWaitingText } from "../readiness/status/pod.ts";
import { oneLine } from "../readiness/status/status.ts";
import { podLabels } from "./pod-reason.ts";

/** What the cluster reports about why an object is not ready. */
export interface Evidence {
  /** Conditions that are not as they should be: `Progressing=False ProgressDeadlineExceeded: …`. */
  readonly conditions: readonly string[];
  /** The Pods with a problem, worst first; at most three. */
  readonly pods: readonly PodEvidence[];
  /** How many Pods there are in all. */
  readonly podCount: number;
  /** Last warnings about the object, its ReplicaSet and its Pods, newest first. */
  readonly warnings: readonly Warning[];
  /** Pods that have to be deleted by hand, now or after the correction. */
  readonly stuck?: StuckPods | undefined;
}

export interface PodEvidence {
  readonly name: string;
  /** `Pending`, `Running, not ready`. */
  readonly phase: string;
  /** What the scheduler says where it found no node. */
  readonly scheduler: string | undefined;
  readonly containers: readonly ContainerState[];
  /** Last log lines of its containers that ever ran, by container; absent where they may not be read. */
  readonly logs: Readonly<Record<string, string>>;
}

interface Warning {
  /** `Pod shop/web-1`. */
  readonly about: string;
  readonly reason: string;
  readonly message: string;
  readonly count: number;
}

/** Walks owner → newest ReplicaSet → Pods → containers. What can't be read is left out: evidence never fails. */
export async function gatherEvidence(cluster: Cluster, object: KubeObject): Promise<Evidence> {
  const { replicaSet, pods } = await podsBehind(cluster, object);
  const unready = pods
    .filter((pod) => podWaitingText(pod) !== undefined || phaseOf(pod) === "Failed")
    .sort((a, b) => severity(b) - severity(a) || (idOf(a).name < idOf(b).name ? -1 : 1));
  const shown = unready.slice(0, 3);
  const related = [object, ...(replicaSet === undefined ? [] : [replicaSet]), ...pods];
  const [podEvidence, warnings] = await Promise.all([
    // The log of one Pod is enough: its siblings would repeat it.
    Promise.all(shown.map((pod, index) => describePod(cluster, pod, index === 0))),
    lastWarnings(cluster, object, related),
  ]);
  const stuck = stuckPods(object, pods, textAt(object, "status", "updateRevision"));
  return {
    conditions: badConditions(object),
    pods: podEvidence,
    podCount: pods.length,
    warnings,
    ...(stuck === undefined ? {} : { stuck }),
  };
}

/** Conditions of the first kind are bad when true, all others when false. */
const badWhenTrue = /Failure|Failed|Stalled|Degraded|InvalidSpec|Pressure/;

function badConditions(object: KubeObject): readonly string[] {
  return conditionsOf(object)
    .filter((c) => c.status === (badWhenTrue.test(c.type) ? "True" : "False"))
    .map((c) => `${c.type}=${c.status} ${explain(c)}`);
}

/** A container that crashed says more than one that never started, and that more than a Pod without a node. */
function severity(pod: KubeObject): number {
  const containers = containersOf(pod);
  if (containers.some((c) => (c.exitCode ?? 0) !== 0)) return 3;
  if (containers.some((c) => c.waitingFor !== "")) return 2;
  return 1;
}

const logLines = 20;

async function describePod(
  cluster: Cluster,
  pod: KubeObject,
  withLogs: boolean,
): Promise<PodEvidence> {
  const { namespace, name } = idOf(pod);
  const containers = containersOf(pod);
  const logs: [container: string, text: string][] = [];
  for (const { name: container, exitCode, running } of withLogs ? containers : []) {
    if (exitCode === undefined && !running) continue;
    const tail = await cluster.logTail(namespace, name, container, logLines);
    if (tail !== undefined && tail.trim() !== "") logs.push([container, tail.trimEnd()]);
  }
  return {
    name,
    phase: phaseText(pod),
    scheduler: schedulerText(pod),
    containers,
    logs: Object.fromEntries(logs),
  };
}

function phaseOf(pod: KubeObject): string {
  return textAt(pod, "status", "phase") ?? "Pending";
}

/** `Running, not ready`: without that it would look as if nothing was wrong with it. */
function phaseText(pod: KubeObject): string {
  const phase = phaseOf(pod);
  return phase === "Running" && !isTrue(pod, "Ready") ? `${phase}, not ready` : phase;
}

function schedulerText(pod: KubeObject): string | undefined {
  const scheduled = conditionsOf(pod).find((c) => c.type === "PodScheduled");
  return scheduled?.status === "False" ? explain(scheduled) : undefined;
}

const warningsShown = 5;

async function lastWarnings(
  cluster: Cluster,
  object: KubeObject,
  related: readonly KubeObject[],
): Promise<readonly Warning[]> {
  const uids = new Set(related.map(uidOf));
  // Events about cluster-scoped objects are kept in the namespace default.
  const answer = await cluster.list("v1", "Event", idOf(object).namespace || "default");
  if (!answer.ok) return [];
  return answer.value.items
    .filter((event) => textAt(event, "type") === "Warning")
    .filter((event) => uids.has(textAt(event, "involvedObject", "uid") ?? ""))
    .sort((a, b) => (timeOf(a) > timeOf(b) ? -1 : 1))
    .map(readWarning)
    .reduce(together, [])
    .slice(0, warningsShown);
}

/**
 * Controllers try again and again, and each try has an event of its own: the newest one stands for all that differ only
 * in the name of a Pod.
 */
function together(warnings: readonly Warning[], next: Warning): readonly Warning[] {
  const index = warnings.findIndex((known) => gist(known) === gist(next));
  const known = warnings[index];
  if (known === undefined) return [...warnings, next];
  return warnings.with(index, { ...known, count: known.count + next.count });
}

function gist({ about, reason, message }: Warning): string {
  const [kind = ""] = about.split(" ");
  const general = message.replace(/^\(combined from similar events\): /, "");
  return [kind, reason, general.replaceAll(/"[^"]*"/g, '""')].join(" ");
}

/** Clients of either event API fill different fields. */
function timeOf(event: KubeObject): string {
  return (
    textAt(event, "series", "lastObservedTime") ??
    textAt(event, "lastTimestamp") ??
    textAt(event, "eventTime") ??
    textAt(event, "metadata", "creationTimestamp") ??
    ""
  );
}

function readWarning(event: KubeObject): Warning {
  const about = {
    group: "",
    kind: textAt(event, "involvedObject", "kind") ?? "",
    namespace: textAt(event, "involvedObject", "namespace") ?? "",
    name: textAt(event, "involvedObject", "name") ?? "",
  };
  return {
    about: nameOf(about),
    reason: textAt(event, "reason") ?? "",
    message: oneLine(textAt(event, "message") ?? ""),
    count: numberAt(event, "series", "count") ?? numberAt(event, "count") ?? 1,
  };
}

interface PodsBehind {
  /** The newest one, where the object rolls out by ReplicaSets. */
  readonly replicaSet: KubeObject | undefined;
  readonly pods: readonly KubeObject[];
}

/** The Pods that an object's readiness depends on: those of its newest ReplicaSet, its own, or itself. */
async function podsBehind(cluster: Cluster, object: KubeObject): Promise<PodsBehind> {
  const kind = `${groupOf(object.apiVersion)}/${object.kind}`;
  if (kind === "/Pod") return { replicaSet: undefined, pods: [object] };
  if (podLabels(object) === undefined) return { replicaSet: undefined, pods: [] };
  if (kind !== "apps/Deployment" && kind !== "argoproj.io/Rollout") {
    return { replicaSet: undefined, pods: await owned(cluster, "v1", "Pod", object, object) };
  }
  const sets = await owned(cluster, "apps/v1", "ReplicaSet", object, object);
  const replicaSet = sets.toSorted((a, b) => revisionOf(b) - revisionOf(a))[0];
  if (replicaSet === undefined) return { replicaSet, pods: [] };
  return { replicaSet, pods: await owned(cluster, "v1", "Pod", object, replicaSet) };
}

/** Objects of a kind that `workload` selects and `owner` owns; none where they may not be listed. */
async function owned(
  cluster: Cluster,
  apiVersion: string,
  kind: string,
  workload: KubeObject,
  owner: KubeObject,
): Promise<readonly KubeObject[]> {
  const labels = Object.entries(podLabels(workload) ?? {});
  const selector = labels
    .flatMap(([name, value]) => (typeof value === "string" ? [`${name}=${value}`] : []))
    .join(",");
  const answer = await cluster.list(apiVersion, kind, idOf(workload).namespace, selector);
  if (!answer.ok) return [];
  return answer.value.items.filter((item) => ownersOf(item).includes(uidOf(owner)));
}

/** By revision, not by age: a rollback to an earlier template uses an old ReplicaSet with a new number. */
function revisionOf(replicaSet: KubeObject): number {
  const names = ["deployment.kubernetes.io/revision", "rollout.argoproj.io/revision"];
  return Math.max(0, ...names.map((name) => Number(annotation(replicaSet, name) ?? 0)));
}

function ownersOf(object: KubeObject): readonly string[] {
  return listAt(object, "metadata", "ownerReferences").map((o: Json) => textAt(o, "uid") ?? "");
}
