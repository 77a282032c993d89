import { at, listAt, numberAt, textAt } from "../json.ts";
import { groupOf, idOf, type KubeObject, label } from "../object.ts";

/** Pods that a StatefulSet waits for, and would not replace by those of another template before they are ready. */
export interface StuckPods {
  readonly namespace: string;
  /** By their numbers. */
  readonly names: readonly string[];
  /** They are of another revision than the one that is to come: nothing but their deletion helps. */
  readonly isEarlier: boolean;
}

/**
 * One that makes its Pods in order does nothing while one of them is not ready, not even replace it: that has to be deleted by hand once
 * the right template is there (kubernetes.io/docs/concepts/workloads/controllers/statefulset#forced-rollback). `pods` are its own;
 * `revision` is the one that is to come, undefined where none of them can be of it.
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
  // Below the partition a Pod comes back as it was.
  if (lowest === undefined || lowest.number < first + held) return undefined;
  const isOld = (pod: KubeObject) =>
    revision === undefined || label(pod, "controller-revision-hash") !== revision;
  const isEarlier = isOld(lowest.pod);
  const named = unready.filter(({ pod }) => isOld(pod) === isEarlier);
  return { namespace, names: named.map((each) => each.name), isEarlier };
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

/** What deletes them. */
export function deletionOfPods({ namespace, names }: StuckPods): string {
  return `kubectl delete pod ${names.join(" ")} -n ${namespace}`;
}
