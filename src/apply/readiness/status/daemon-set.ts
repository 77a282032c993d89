import { numberAt, textAt } from "../../../model/json.ts";
import type { KubeObject } from "../../../model/object.ts";
import { isObserved, notObserved, ready, type Status, waiting } from "./status.ts";

/**
 * Reports a DaemonSet as ready when every eligible node runs an available, updated Pod.
 * With the strategy `OnDelete`, qvs doesn't wait for updated Pods.
 */
export function daemonSetStatus(object: KubeObject): Status {
  if (!isObserved(object)) return notObserved();
  const desired = numberAt(object, "status", "desiredNumberScheduled") ?? 0;
  const updated = numberAt(object, "status", "updatedNumberScheduled") ?? 0;
  const available = numberAt(object, "status", "numberAvailable") ?? 0;
  const replacedManually = textAt(object, "spec", "updateStrategy", "type") === "OnDelete";
  return available >= desired && (updated >= desired || replacedManually)
    ? ready()
    : waiting(`${available}/${desired} nodes available, ${updated} updated`);
}
