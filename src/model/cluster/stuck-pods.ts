import { at, listAt, numberAt, textAt } from "../json.ts";
import { groupOf, idOf, type KubeObject, label } from "../object.ts";

/**
 * Pods that a StatefulSet waits for. It doesn't replace them with a new template until they are
 * ready.
 */
export interface StuckPods {
  readonly namespace: string;
  /** Sorted by ordinal. */
  readonly names: readonly string[];
  /**
   * True if they have another revision than the target revision. Only their deletion helps then.
   */
  readonly isOldRevision: boolean;
}

/**
 * Finds the unready Pods that block an ordered StatefulSet.
 * Such a StatefulSet does nothing while a Pod isn't ready, and doesn't even replace that Pod. A
 * user must delete the Pod after the template is correct
 * (kubernetes.io/docs/concepts/workloads/controllers/statefulset#forced-rollback).
 * `pods` are the Pods of this StatefulSet. `revision` is the target revision; undefined if no Pod
 * can have it yet.
 */
export function stuckPods(
  set: KubeObject,
  pods: readonly KubeObject[],
  revision: string | undefined,
): StuckPods | undefined {
  const { namespace, name } = idOf(set);
  if (groupOf(set.apiVersion) !== "apps" || set.kind !== "StatefulSet" || !isOrdered(set)) {
    return undefined;
  }
  const first = numberAt(set, "spec", "ordinals", "start") ?? 0;
  const held = numberAt(set, "spec", "updateStrategy", "rollingUpdate", "partition") ?? 0;
  const unready = pods
    .filter((pod) => !isReady(pod) && textAt(pod, "metadata", "deletionTimestamp") === undefined)
    .map((pod) => ({ ...idOf(pod), number: Number(idOf(pod).name.slice(name.length + 1)), pod }))
    .toSorted((a, b) => a.number - b.number);
  const [lowest] = unready;
  // The StatefulSet recreates a Pod below the partition with its former template.
  if (lowest === undefined || lowest.number < first + held) return undefined;
  const isOld = (pod: KubeObject) =>
    revision === undefined || label(pod, "controller-revision-hash") !== revision;
  const isOldRevision = isOld(lowest.pod);
  const named = unready.filter(({ pod }) => isOld(pod) === isOldRevision);
  return { namespace, names: named.map((each) => each.name), isOldRevision };
}

function isOrdered(set: KubeObject): boolean {
  return (
    textAt(set, "spec", "podManagementPolicy") !== "Parallel" &&
    textAt(set, "spec", "updateStrategy", "type") !== "OnDelete"
  );
}

function isReady(pod: KubeObject): boolean {
  return listAt(pod, "status", "conditions").some(
    (each) => at(each, "type") === "Ready" && at(each, "status") === "True",
  );
}

/** Returns the command that deletes the Pods. */
export function deletePodsCommand({ namespace, names }: StuckPods): string {
  return `kubectl delete pod ${names.join(" ")} -n ${namespace}`;
}
