import { at, type Json } from "../json.ts";

/**
 * Returns the reason why a Job or a Job template runs no Pods for now; undefined if it runs them.
 * A Job with a parallelism of 0 is paused until a user increases it
 * (https://kubernetes.io/docs/concepts/workloads/controllers/job/#controlling-parallelism).
 */
export function idleReason(object: Json): string | undefined {
  if (at(object, "spec", "suspend") === true) return "suspended by spec.suspend";
  return at(object, "spec", "parallelism") === 0 ? "paused by spec.parallelism: 0" : undefined;
}
