import { textAt } from "../../../model/json.ts";
import type { KubeObject } from "../../../model/object.ts";
import { failed, ready, type Status, type StatusFacts, waiting } from "./status.ts";

/**
 * Computes the status of a claim.
 * A claim that binds on first use counts as ready. Its Pod waits for it, so a wait would be
 * circular.
 */
export function persistentVolumeClaimStatus(object: KubeObject, facts: StatusFacts): Status {
  const phase = textAt(object, "status", "phase") ?? "Pending";
  if (phase === "Bound") return ready();
  if (phase === "Lost") return failed("Lost: the volume that it was bound to no longer exists");
  switch (facts.binding) {
    case "on first use":
      return { state: "ready", notice: "binds when the first Pod uses it" };
    case "unknown":
      // If the claim isn't bound in time, the Pods that use it report the problem.
      return { state: "ready", notice: "not awaited, because qvs can't read its StorageClass" };
    case "at once":
      return waiting(`phase ${phase}, not bound to a volume yet`);
  }
}
