import { ignoreChangesAnnotation } from "../annotations.ts";
import { at, type Json, textAt } from "../json.ts";
import { whyIdle } from "./idle-job.ts";

/** Fields by which kinds of any group are told to start nothing for now. */
const fields = [
  ["spec", "suspend"],
  ["spec", "paused"],
  ["spec", "runPolicy", "suspend"],
] as const;

/** A field by which an object says that nothing is to start for now, with the words for it. */
export interface Suspension {
  readonly path: readonly string[];
  readonly why: string;
}

/** Returns undefined where the object is not suspended. */
export function suspensionOf(object: Json): Suspension | undefined {
  const path = fields.find((each) => at(object, ...each) === true);
  if (path !== undefined) return { path, why: `suspended by ${path.join(".")}` };
  const isJob = at(object, "kind") === "Job";
  const idle = isJob ? whyIdle(object) : undefined;
  return idle === undefined ? undefined : { path: ["spec", "parallelism"], why: idle };
}

/**
 * Reports if a deployment goes on without the object while that is suspended: its manifest declares it or leaves it to others, or it
 * is a CronJob that was there before, which has no work that this run could wait for.
 */
export function mayStaySuspended({
  action,
  desired,
}: {
  readonly action: string;
  readonly desired: Json;
}): boolean {
  const isCronJob = at(desired, "kind") === "CronJob";
  return suspends(desired) || leavesSuspension(desired) || (isCronJob && action !== "create");
}

/** Reports if a manifest leaves the field to others, by `ignore-changes`. */
function leavesSuspension(manifest: Json): boolean {
  const ignored = textAt(manifest, "metadata", "annotations", ignoreChangesAnnotation) ?? "";
  const paths = ignored.split(",").map((path) => path.trim());
  return fields.some((each) => paths.includes(each.join(".")));
}

/** Reports if a manifest declares that the object is suspended: only then is that intended. */
export function suspends(manifest: Json): boolean {
  return suspensionOf(manifest) !== undefined;
}
