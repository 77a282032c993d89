import { at, sameJson } from "../../../model/json.ts";
import type { KubeObject } from "../../../model/object.ts";
import { ready, type Status, waiting } from "./status.ts";

/** The API server counts by what the quota's controller has written into the status, which is a moment behind. */
export function resourceQuotaStatus(quota: KubeObject): Status {
  const declared = at(quota, "spec", "hard") ?? {};
  const inForce = at(quota, "status", "hard") ?? {};
  return sameJson(declared, inForce)
    ? ready()
    : waiting("its limits are not in force yet (status.hard differs from spec.hard)");
}
