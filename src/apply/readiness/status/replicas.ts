import { numberAt } from "../../../model/json.ts";
import type { KubeObject } from "../../../model/object.ts";

/** Returns the number of replicas, with the API server's default. */
export function desiredReplicas(object: KubeObject): number {
  return numberAt(object, "spec", "replicas") ?? 1;
}

/**
 * Returns the number of available replicas.
 * Deployments omit a count of zero. A StatefulSet without a count is from a cluster that doesn't
 * count them.
 */
export function availableReplicas(object: KubeObject): number {
  const readyReplicas = numberAt(object, "status", "readyReplicas") ?? 0;
  const unknown = object.kind === "StatefulSet" ? readyReplicas : 0;
  return numberAt(object, "status", "availableReplicas") ?? unknown;
}

/** Formats replica counts: `new 1/3, old 3, 3 of 4 Pods ready`, or `new 1/3, 1 ready`. */
export function countsText(object: KubeObject, desired: number): string {
  const readyReplicas = numberAt(object, "status", "readyReplicas") ?? 0;
  const available = availableReplicas(object);
  const updated = numberAt(object, "status", "updatedReplicas") ?? 0;
  const all = numberAt(object, "status", "replicas") ?? 0;
  const old = all - updated;
  return [
    `new ${updated}/${desired}`,
    ...(old > 0
      ? [`old ${old}`, `${readyReplicas} of ${all} Pods ready`]
      : [`${readyReplicas} ready`]),
    ...(available < readyReplicas ? [`${available} available`] : []),
  ].join(", ");
}
