import { type JsonObject, numberAt, textAt } from "../../model/json.ts";
import type { Board } from "../scheduling/board.ts";
import type { PodShape } from "../scheduling/pod-shape.ts";
import { isAvailable, type WorkloadPod } from "./group.ts";
import type { Controller } from "./simulate.ts";

/** A Pod with its place in the order of its set. */
export interface OrdinalPod extends WorkloadPod {
  readonly ordinal: number;
  readonly isNew: boolean;
}

export interface StatefulPods {
  readonly live: readonly OrdinalPod[];
  readonly owner: string;
  readonly shapeOf: (ordinal: number, isNew: boolean) => PodShape;
}

/**
 * What the StatefulSet controller does: one Pod at a time from the highest ordinal, deleted before it is made again
 * (kubernetes.io/docs/concepts/workloads/controllers/statefulset).
 */
export function statefulSetController(
  spec: JsonObject,
  replicas: number,
  { live, owner, shapeOf }: StatefulPods,
): Controller {
  const start = numberAt(spec, "ordinals", "start") ?? 0;
  const partition = numberAt(spec, "updateStrategy", "rollingUpdate", "partition") ?? 0;
  const rolls = textAt(spec, "updateStrategy", "type") !== "OnDelete";
  const isOrdered = textAt(spec, "podManagementPolicy") !== "Parallel";
  const ordinals = Array.from({ length: replicas }, (_, i) => start + i);
  const pods = new Map(live.map((pod) => [pod.ordinal, pod]));
  const isToBeNew = (ordinal: number) => rolls && ordinal >= partition;

  function create(ordinal: number): void {
    const isNew = ordinal >= partition;
    const shape = shapeOf(ordinal, isNew);
    pods.set(ordinal, { shape, owner, ordinal, isNew, node: undefined, isBroken: false });
  }

  function remove(ordinal: number, board: Board): true {
    const pod = pods.get(ordinal);
    if (pod !== undefined) board.remove(pod);
    pods.delete(ordinal);
    return true;
  }

  /** Whether it did something, or undefined where it has to wait. */
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

  function scaleDown(board: Board): boolean {
    const surplus = [...pods.keys()].filter((ordinal) => !ordinals.includes(ordinal));
    const highest = Math.max(...surplus);
    return surplus.length > 0 && remove(highest, board);
  }

  function update(board: Board): boolean {
    for (const ordinal of ordinals.filter(isToBeNew).toReversed()) {
      const pod = pods.get(ordinal);
      if (pod !== undefined && !pod.isNew) return remove(ordinal, board);
      if (pod === undefined || !isAvailable(pod)) return false;
    }
    return false;
  }

  return {
    pods: () => [...pods.values()],
    reconcile(board) {
      const established = establish();
      if (established !== false) return established === true;
      return scaleDown(board) || update(board);
    },
    isComplete: () =>
      pods.size === ordinals.length &&
      ordinals.every((ordinal) => {
        const pod = pods.get(ordinal);
        return pod !== undefined && isAvailable(pod) && (pod.isNew || !isToBeNew(ordinal));
      }),
  };
}
