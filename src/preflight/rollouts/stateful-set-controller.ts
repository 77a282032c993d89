import { hasBehavior, type ServerVersion } from "../../model/cluster/api/server-version.ts";
import { at, type JsonObject, numberAt, textAt } from "../../model/json.ts";
import type { PodShape } from "../scheduling/pod-shape.ts";
import type { SimulatedCluster } from "../scheduling/simulated-cluster.ts";
import { isAvailable, resolveShare, type WorkloadPod } from "./pod-group.ts";
import type { SimulatedController } from "./simulation.ts";

/** A Pod with its ordinal in the StatefulSet. */
export interface OrdinalPod extends WorkloadPod {
  readonly ordinal: number;
  readonly isNew: boolean;
}

export interface StatefulPods {
  readonly live: readonly OrdinalPod[];
  readonly owner: string;
  readonly shapeOf: (ordinal: number, isNew: boolean) => PodShape;
  /** The version of the cluster; undefined if it can't be read. */
  readonly server?: ServerVersion | undefined;
}

/**
 * Simulates the StatefulSet controller
 * (kubernetes.io/docs/concepts/workloads/controllers/statefulset).
 * It starts at the highest ordinal and deletes a Pod before it creates the new one.
 * It replaces one Pod at a time, or as many as maxUnavailable allows.
 */
export function statefulSetController(
  spec: JsonObject,
  replicas: number,
  { live, owner, shapeOf, server }: StatefulPods,
): SimulatedController {
  const start = numberAt(spec, "ordinals", "start") ?? 0;
  const rolling = at(spec, "updateStrategy", "rollingUpdate");
  // The partition counts from the first ordinal.
  const partition = start + (numberAt(rolling, "partition") ?? 0);
  const share = at(rolling, "maxUnavailable");
  const rolls = textAt(spec, "updateStrategy", "type") !== "OnDelete";
  const isOrdered = textAt(spec, "podManagementPolicy") !== "Parallel";
  const replacesUnavailable = !isOrdered && hasBehavior("parallelSetsReplaceUnavailable", server);
  const ordinals = Array.from({ length: replicas }, (_, i) => start + i);
  const pods = new Map(live.map((pod) => [pod.ordinal, pod]));
  const isToBeNew = (ordinal: number) => rolls && ordinal >= partition;

  function create(ordinal: number): void {
    const isNew = ordinal >= partition;
    const shape = shapeOf(ordinal, isNew);
    pods.set(ordinal, { shape, owner, ordinal, isNew, node: undefined, isBroken: false });
  }

  function remove(ordinal: number, cluster: SimulatedCluster): true {
    const pod = pods.get(ordinal);
    if (pod !== undefined) cluster.remove(pod);
    pods.delete(ordinal);
    return true;
  }

  /** Creates missing Pods and reports whether it created any. Returns undefined if it must wait. */
  function establish(): boolean | undefined {
    let created = false;
    for (const ordinal of ordinals) {
      const pod = pods.get(ordinal);
      if (pod === undefined) {
        create(ordinal);
        created = true;
        if (isOrdered) return true;
      } else if (isOrdered && !isAvailable(pod)) return undefined;
    }
    return created;
  }

  function scaleDown(cluster: SimulatedCluster): boolean {
    const surplus = [...pods.keys()].filter((ordinal) => !ordinals.includes(ordinal));
    const highest = Math.max(...surplus);
    return surplus.length > 0 && remove(highest, cluster);
  }

  const isDue = (ordinal: number) => isToBeNew(ordinal) && pods.get(ordinal)?.isNew === false;

  function updateOne(cluster: SimulatedCluster): boolean {
    const next = ordinals
      .filter(isToBeNew)
      .findLast((ordinal) => isDue(ordinal) || !isUp(pods.get(ordinal)));
    return next !== undefined && isDue(next) && remove(next, cluster);
  }

  /**
   * API servers that store `maxUnavailable` count every unavailable Pod, old or new. Newer
   * controllers replace old Pods of a parallel set that are unavailable in any case.
   */
  function updateSome(cluster: SimulatedCluster): boolean {
    const allowed = Math.max(1, resolveShare(share, replicas, Math.floor));
    const down = ordinals.filter((ordinal) => !isUp(pods.get(ordinal))).length;
    const due = ordinals.filter(isDue).toReversed();
    const isFree = (ordinal: number) => replacesUnavailable && !isUp(pods.get(ordinal));
    const counted = due.filter((ordinal) => !isFree(ordinal));
    const removed = [...due.filter(isFree), ...counted.slice(0, Math.max(0, allowed - down))];
    for (const ordinal of removed) remove(ordinal, cluster);
    return removed.length > 0;
  }

  return {
    pods: () => [...pods.values()],
    reconcile(cluster) {
      const established = establish();
      if (established !== false) return established === true;
      return scaleDown(cluster) || (share === undefined ? updateOne(cluster) : updateSome(cluster));
    },
    isComplete: () =>
      pods.size === ordinals.length &&
      ordinals.every((ordinal) => {
        const pod = pods.get(ordinal);
        return isUp(pod) && (pod?.isNew === true || !isToBeNew(ordinal));
      }),
  };
}

function isUp(pod: OrdinalPod | undefined): boolean {
  return pod !== undefined && isAvailable(pod);
}
