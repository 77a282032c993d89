import { numberAt } from "../../../model/json.ts";
import type { KubeObject } from "../../../model/object.ts";

/** The API server's default where the spec leaves it open. */
export function desiredReplicas(object: KubeObject): number {
  return numberAt(object, "spec", "replicas") ?? 1;
}

/** Deployments leave a count of zero out; a StatefulSet without one comes from a cluster that does not count them. */
export function availableReplicas(object: KubeObject): number {
  const readyReplicas = numberAt(object, "status", "readyReplicas") ?? 0;
  const unknown = object.kind === "StatefulSet" ? readyReplicas : 0;
  return numberAt(object, "status", "availableReplicas") ?? unknown;
}

/** `2/3 ready, 1 updated, 1 old`: what `kubectl rollout status` makes people look for. */
export function countsText(object: KubeObject, desired: number): string {
  const readyReplicas = numberAt(object, "status", "readyReplicas") ?? 0;
  const available = availableReplicas(object);
  const updated = numberAt(object, "status", "updatedReplicas") ?? 0;
  const old = (numberAt(object, "status", "replicas") ?? 0) - updated;
  const parts = [`${readyReplicas}/${desired} ready`, `${updated} updated`];
  if (available < readyReplicas) parts.push(`${available} available`);
  if (old > 0) parts.push(`${old} old`);
  return parts.join(", ");
}
