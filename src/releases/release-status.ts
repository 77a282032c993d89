import type { ReleaseSummary } from "../model/deployment-state.ts";
import type { Release } from "../model/release.ts";

/**
 * Returns the status of a release, the same word in every list and message.
 * `isUnderWay` is true if a run holds the deployment lock, so that a pending release is its work.
 */
export function releaseStatus(
  { status, superseded, cancelled }: Release,
  isUnderWay = false,
): ReleaseSummary["status"] {
  if (status === "pending") return isUnderWay ? "under way" : "never ended";
  if (superseded !== undefined) return "superseded";
  return cancelled === true ? "cancelled" : status;
}
