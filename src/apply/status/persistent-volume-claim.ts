import { textAt } from "../../model/json.ts";
import type { KubeObject } from "../../model/object.ts";
import { type Facts, failed, ready, type Status, waiting } from "./status.ts";

/** A claim that binds on first use would wait for the very Pod that waits for the claim. */
export function persistentVolumeClaimStatus(object: KubeObject, facts: Facts): Status {
  const phase = textAt(object, "status", "phase") ?? "Pending";
  if (phase === "Bound") return ready();
  if (phase === "Lost") return failed("Lost: the volume that it was bound to is gone");
  if (facts.bindsOnFirstUse) {
    return { state: "ready", notice: "binds when the first Pod uses it" };
  }
  return waiting(`phase ${phase}, not bound to a volume yet`);
}
