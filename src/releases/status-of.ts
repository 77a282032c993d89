import type { ReleaseSummary } from "../model/queries.ts";
import type { Release } from "../model/release.ts";

/**
 * How a release ended, in the one word that every list and message has for it. `isUnderWay`: a run holds the lock, so that what is
 * pending is its work.
 */
export function statusOf(
  { status, superseded, cancelled }: Release,
  isUnderWay = false,
): ReleaseSummary["status"] {
  if (status === "pending") return isUnderWay ? "under way" : "never ended";
  if (superseded !== undefined) return "superseded";
  return cancelled === true ? "cancelled" : status;
}
