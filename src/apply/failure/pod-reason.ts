import pMap from "p-map";
import { at, isObject, type JsonObject } from "../../model/json.ts";
import { selectsPods } from "../../model/kinds.ts";
import { creationTime, idOf, type KubeObject, label } from "../../model/object.ts";
import type { Cluster } from "../../ports/kubernetes.ts";
import { podWaitingText, retriedFailure } from "../readiness/status/pod-status.ts";
import type { Watches } from "../readiness/watches.ts";

/** The reason why the Pods of a workload don't start, kept up to date. */
export interface PodReason {
  reason(): string | undefined;
  /** Returns the failures that the kubelet retries, by Pod, in the newest version of the Pods. */
  failures(): ReadonlyMap<string, string>;
  stop(): void;
}

const noPods: PodReason = {
  reason: () => undefined,
  failures: () => new Map(),
  stop: () => undefined,
};

/** Follows the Pods of a workload. Other objects never have a reason. */
export function followPods(
  watches: Watches,
  workload: KubeObject,
  onChange: () => void,
): PodReason {
  const labels = podLabels(workload);
  if (labels === undefined) return noPods;
  const { namespace } = idOf(workload);
  const scope = { apiVersion: "v1", kind: "Pod", namespace };
  const pods = watches.follow(scope, (name) => {
    // The watch reports the Pods of hundreds of workloads. Only this workload's Pods are checked.
    const pod = name === undefined ? undefined : pods.last(name);
    if (name === undefined || pod === undefined) return;
    if (pod.present && isSelected(pod.object, labels)) ownPods.set(name, pod.object);
    else if (!ownPods.delete(name)) return;
    onChange();
  });
  const existing = pods.present().filter((pod) => isSelected(pod, labels));
  const ownPods = new Map(existing.map((pod) => [idOf(pod).name, pod]));
  return {
    reason: () => newestReason([...ownPods.values()]),
    failures: () => retriedFailures([...ownPods.values()]),
    stop: pods.stop,
  };
}

/**
 * Returns the failures of the Pods that have the version of the newest Pod. A rollout that corrects
 * an earlier version still has Pods that crash.
 */
function retriedFailures(pods: readonly KubeObject[]): ReadonlyMap<string, string> {
  const newest = pods.toSorted((a, b) => compare(creationTime(b), creationTime(a)))[0];
  if (newest === undefined) return new Map();
  const current = pods.filter((pod) => podVersion(pod) === podVersion(newest));
  return new Map(
    current.flatMap((pod) => {
      const text = retriedFailure(pod);
      const { name } = idOf(pod);
      return text === undefined ? [] : [[name, `Pod ${name}: ${text}`] as const];
    }),
  );
}

/** Returns the label by which a controller separates the Pods of two templates. */
function podVersion(pod: KubeObject): string | undefined {
  const labels = ["pod-template-hash", "rollouts-pod-template-hash", "controller-revision-hash"];
  return labels.map((name) => label(pod, name)).find((value) => value !== undefined);
}

/** Returns the same reason at one moment, from a list of Pods. */
function podReasonAmong(workload: KubeObject, pods: readonly KubeObject[]): string | undefined {
  const labels = podLabels(workload);
  const { namespace } = idOf(workload);
  if (labels === undefined) return undefined;
  return newestReason(
    pods.filter((pod) => idOf(pod).namespace === namespace && isSelected(pod, labels)),
  );
}

function isSelected(pod: KubeObject, labels: JsonObject): boolean {
  return Object.entries(labels).every(([name, value]) => label(pod, name) === value);
}

/** Returns the labels that select the Pods of a workload. Undefined if it has none. */
export function podLabels(workload: KubeObject): JsonObject | undefined {
  if (!selectsPods(idOf(workload))) return undefined;
  const selector = at(workload, "spec", "selector");
  // The selector of a ReplicationController contains only labels, no expressions.
  const labels = workload.kind === "ReplicationController" ? selector : at(selector, "matchLabels");
  return isObject(labels) && Object.keys(labels).length > 0 ? labels : undefined;
}

/**
 * Returns the problem of the newest Pod that has one. During a rollout the old Pods are healthy.
 */
function newestReason(pods: readonly KubeObject[]): string | undefined {
  const reasons = pods.flatMap((pod) => {
    const text = podWaitingText(pod);
    return text === undefined ? [] : [{ text, born: creationTime(pod), name: idOf(pod).name }];
  });
  const newest = reasons.sort((a, b) => compare(b.born, a.born) || compare(a.name, b.name))[0];
  return newest === undefined ? undefined : `Pod ${newest.name}: ${withoutPreemption(newest.text)}`;
}

/** Removes the scheduler's sentence about preemption. The evidence has the whole message. */
function withoutPreemption(text: string): string {
  return text.replace(/[.,]? (?:no new claims to deallocate, )?preemption: .*$/s, "");
}

function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/**
 * Reads why the Pods of these workloads don't start.
 * It sends one LIST of Pods for each namespace of a workload. An object has no reason if the list
 * fails.
 */
export async function readPodReasons(
  cluster: Cluster,
  objects: readonly KubeObject[],
  concurrency: number,
): Promise<(object: KubeObject) => string | undefined> {
  const workloads = objects.filter((object) => podLabels(object) !== undefined);
  const namespaces = [...new Set(workloads.map((object) => idOf(object).namespace))];
  const answers = await pMap(
    namespaces,
    async (namespace) => [namespace, await cluster.list("v1", "Pod", namespace)] as const,
    { concurrency },
  );
  const pods = new Map(answers);
  return (object) => {
    const answer = pods.get(idOf(object).namespace);
    return answer?.ok === true ? podReasonAmong(object, answer.value.items) : undefined;
  };
}
