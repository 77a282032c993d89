import { numberAt, textAt } from "../../../model/json.ts";
import type { KubeObject } from "../../../model/object.ts";
import { isObserved, notObserved, ready, type Status, waiting } from "./status.ts";

/** Ready when every node that should run it runs the newest template and is available. */
export function daemonSetStatus(object: KubeObject): Status {
  if (!isObserved(object)) return notObserved();
  const desired = numberAt(object, "status", "desiredNumberScheduled") ?? 0;
  const updated = numberAt(object, "status", "updatedNumberScheduled") ?? 0;
  const available = numberAt(object, "status", "numberAvailable") ?? 0;
  const replacedByHand = textAt(object, "spec", "updateStrategy", "type") === "OnDelete";
  return available >= desired && (updated >= desired || replacedByHand)
    ? ready()
    : waiting(`${available}/${desired} nodes available, ${updated} updated`);
}
