import { at, type Json } from "../json.ts";

/**
 * Where a Job, or the template of Jobs, says that it is to have no Pods for now; undefined where it does not. Without parallelism it is
 * paused until somebody raises that (https://kubernetes.io/docs/concepts/workloads/controllers/job/#controlling-parallelism).
 */
export function whyIdle(object: Json): string | undefined {
  if (at(object, "spec", "suspend") === true) return "suspended by spec.suspend";
  return at(object, "spec", "parallelism") === 0 ? "paused by spec.parallelism: 0" : undefined;
}
