import {
  explainCondition,
  isConditionTrue,
  listConditions,
  oneLine,
} from "../../health/conditions.ts";
import { type StuckPods, stuckPods } from "../../model/cluster/pending-deletion.ts";
import { type Json, listAt, numberAt, textAt } from "../../model/json.ts";
import { kindKey, rollsOutByReplicaSets } from "../../model/kinds.ts";
import { annotation, idOf, type KubeObject, nameOf, uidOf } from "../../model/object.ts";
import type { Cluster } from "../../ports/kubernetes.ts";
import {
  type ContainerState,
  podWaitingText,
  readContainerStates,
} from "../readiness/status/pod-status.ts";
import { podLabels } from "./pod-reason.ts";

/** The cluster's reports on an object that isn't ready. */
export interface FailureEvidence {
  /** The conditions with an undesired status: `Progressing=False ProgressDeadlineExceeded: …`. */
  readonly conditions: readonly string[];
  /** The Pods with a problem, worst first, at most three. */
  readonly pods: readonly PodEvidence[];
  /** The number of all Pods. */
  readonly podCount: number;
  /** The last warning events of the object, its ReplicaSet and its Pods, newest first. */
  readonly warnings: readonly Warning[];
  /** Pods that a user must delete manually, now or after the correction. */
  readonly stuck?: StuckPods | undefined;
}

export interface PodEvidence {
  readonly name: string;
  /** The phase, such as `Pending` or `Running, not ready`. */
  readonly phase: string;
  /** The scheduler's message if it found no node. */
  readonly scheduler: string | undefined;
  readonly containers: readonly ContainerState[];
  /**
   * The last log lines of each container that ever ran.
   * A container is missing if qvs can't read its log.
   */
  readonly logs: Readonly<Record<string, string>>;
}

interface Warning {
  /** The object of the event, such as `Pod shop/web-1`. */
  readonly about: string;
  readonly reason: string;
  readonly message: string;
  readonly count: number;
}

/**
 * Gathers evidence along owner → newest ReplicaSet → Pods → containers.
 * It never fails: it leaves out objects that it can't read.
 */
export async function gatherEvidence(
  cluster: Cluster,
  object: KubeObject,
): Promise<FailureEvidence> {
  const { replicaSet, pods } = await readObjectPods(cluster, object);
  const unready = pods
    .filter((pod) => podWaitingText(pod) !== undefined || podPhase(pod) === "Failed")
    .sort((a, b) => severity(b) - severity(a) || (idOf(a).name < idOf(b).name ? -1 : 1));
  const shown = unready.slice(0, 3);
  const related = [object, ...(replicaSet === undefined ? [] : [replicaSet]), ...pods];
  const [podEvidence, warnings] = await Promise.all([
    // One Pod's log is enough: the logs of its siblings would repeat it.
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

/** Matches condition types that are bad when true. All other types are bad when false. */
const badWhenTrue = /Failure|Failed|Stalled|Degraded|InvalidSpec|Pressure/;

function badConditions(object: KubeObject): readonly string[] {
  return listConditions(object)
    .filter((c) => c.status === (badWhenTrue.test(c.type) ? "True" : "False"))
    .map((c) => `${c.type}=${c.status} ${explainCondition(c)}`);
}

/**
 * Ranks a Pod by how much it explains.
 * A crashed container ranks above a container that never started. A Pod without a node ranks last.
 */
function severity(pod: KubeObject): number {
  const containers = readContainerStates(pod);
  if (containers.some((c) => (c.exitCode ?? 0) !== 0)) return 3;
  if (containers.some((c) => c.waitingFor !== "")) return 2;
  return 1;
}

const maxLogLines = 20;

async function describePod(
  cluster: Cluster,
  pod: KubeObject,
  withLogs: boolean,
): Promise<PodEvidence> {
  const { namespace, name } = idOf(pod);
  const containers = readContainerStates(pod);
  const logs: [container: string, text: string][] = [];
  for (const { name: container, exitCode, running } of withLogs ? containers : []) {
    if (exitCode === undefined && !running) continue;
    const tail = await cluster.logTail(namespace, name, container, maxLogLines);
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

function podPhase(pod: KubeObject): string {
  return textAt(pod, "status", "phase") ?? "Pending";
}

/** Returns the phase, with `not ready` if needed. `Running` alone looks like a healthy Pod. */
function phaseText(pod: KubeObject): string {
  const phase = podPhase(pod);
  return phase === "Running" && !isConditionTrue(pod, "Ready") ? `${phase}, not ready` : phase;
}

function schedulerText(pod: KubeObject): string | undefined {
  const scheduled = listConditions(pod).find((c) => c.type === "PodScheduled");
  return scheduled?.status === "False" ? explainCondition(scheduled) : undefined;
}

const maxWarnings = 5;

async function lastWarnings(
  cluster: Cluster,
  object: KubeObject,
  related: readonly KubeObject[],
): Promise<readonly Warning[]> {
  const uids = new Set(related.map(uidOf));
  // Events of cluster-scoped objects are in the namespace `default`.
  const answer = await cluster.list("v1", "Event", idOf(object).namespace || "default");
  if (!answer.ok) return [];
  return answer.value.items
    .filter((event) => textAt(event, "type") === "Warning")
    .filter((event) => uids.has(textAt(event, "involvedObject", "uid") ?? ""))
    .sort((a, b) => (eventTime(a) > eventTime(b) ? -1 : 1))
    .map(readWarning)
    .reduce(mergeRepeated, [])
    .slice(0, maxWarnings);
}

/**
 * Merges events that differ only in quoted names, such as the name of a Pod. The newest one stays.
 * Controllers retry repeatedly, and each attempt creates its own event.
 */
function mergeRepeated(warnings: readonly Warning[], next: Warning): readonly Warning[] {
  const index = warnings.findIndex((known) => warningKey(known) === warningKey(next));
  const known = warnings[index];
  if (known === undefined) return [...warnings, next];
  return warnings.with(index, { ...known, count: known.count + next.count });
}

function warningKey({ about, reason, message }: Warning): string {
  const [kind = ""] = about.split(" ");
  const general = message.replace(/^\(combined from similar events\): /, "");
  return [kind, reason, general.replaceAll(/"[^"]*"/g, '""')].join(" ");
}

/** Returns the time of an event. Clients of the two event APIs fill different fields. */
function eventTime(event: KubeObject): string {
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

interface ObjectPods {
  /** The newest ReplicaSet of a kind that rolls out by ReplicaSets. */
  readonly replicaSet: KubeObject | undefined;
  readonly pods: readonly KubeObject[];
}

/**
 * Returns the Pods that decide the readiness of an object.
 * They are the Pods of its newest ReplicaSet, its own Pods, or the Pod itself.
 */
async function readObjectPods(cluster: Cluster, object: KubeObject): Promise<ObjectPods> {
  const kind = idOf(object);
  if (kindKey(kind) === "/Pod") return { replicaSet: undefined, pods: [object] };
  if (podLabels(object) === undefined) return { replicaSet: undefined, pods: [] };
  if (!rollsOutByReplicaSets(kind)) {
    return { replicaSet: undefined, pods: await listOwned(cluster, "v1", "Pod", object, object) };
  }
  const sets = await listOwned(cluster, "apps/v1", "ReplicaSet", object, object);
  const replicaSet = sets.toSorted((a, b) => replicaSetRevision(b) - replicaSetRevision(a))[0];
  if (replicaSet === undefined) return { replicaSet, pods: [] };
  return { replicaSet, pods: await listOwned(cluster, "v1", "Pod", object, replicaSet) };
}

/**
 * Lists the objects of a kind that `workload` selects and `owner` owns. Empty if the list fails.
 */
async function listOwned(
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
  return answer.value.items.filter((item) => ownerUids(item).includes(uidOf(owner)));
}

/**
 * Returns the revision of a ReplicaSet. Its age doesn't identify the newest one.
 * A rollback to an earlier template reuses an old ReplicaSet with a new number.
 */
function replicaSetRevision(replicaSet: KubeObject): number {
  const names = ["deployment.kubernetes.io/revision", "rollout.argoproj.io/revision"];
  return Math.max(0, ...names.map((name) => Number(annotation(replicaSet, name) ?? 0)));
}

function ownerUids(object: KubeObject): readonly string[] {
  return listAt(object, "metadata", "ownerReferences").map((o: Json) => textAt(o, "uid") ?? "");
}
