import { at, sameJson } from "../../../model/json.ts";
import type { KubeObject } from "../../../model/object.ts";
import { ready, type Status, waiting } from "./status.ts";

/**
 * Reports a quota as ready when its status has the declared limits.
 * The API server enforces the limits in the status, which the quota controller updates a moment
 * later.
 */
export function resourceQuotaStatus(quota: KubeObject): Status {
  const declared = at(quota, "spec", "hard") ?? {};
  const enforced = at(quota, "status", "hard") ?? {};
  return sameJson(declared, enforced)
    ? ready()
    : waiting("its limits aren't in effect yet (status.hard differs from spec.hard)");
}
