import { textAt } from "../../../model/json.ts";
import type { KubeObject } from "../../../model/object.ts";
import { type Facts, failed, ready, type Status, waiting } from "./status.ts";

/** To wait for a claim that binds on first use would be to wait for the very Pod that waits for the claim. */
export function persistentVolumeClaimStatus(object: KubeObject, facts: Facts): Status {
  const phase = textAt(object, "status", "phase") ?? "Pending";
  if (phase === "Bound") return ready();
  if (phase === "Lost") return failed("Lost: the volume that it was bound to is gone");
  switch (facts.binding) {
    case "on first use":
      return { state: "ready", notice: "binds when the first Pod uses it" };
    case "unknown":
      // If it is bound too late, the Pods that use it tell so themselves.
      return { state: "ready", notice: "not awaited: its StorageClass can't be read" };
    case "at once":
      return waiting(`phase ${phase}, not bound to a volume yet`);
  }
}
