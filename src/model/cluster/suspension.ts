import { at, type Json } from "../json.ts";
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
 * Reports if a deployment goes on without the object while that is suspended: its manifest declares it, or it is a CronJob that the
 * deployment doesn't change, so that nothing of this run waits for one of its Jobs.
 */
export function mayStaySuspended({
  action,
  desired,
}: {
  readonly action: string;
  readonly desired: Json;
}): boolean {
  const isCronJob = at(desired, "kind") === "CronJob";
  return suspends(desired) || (isCronJob && action === "unchanged");
}

/** Reports if a manifest declares that the object is suspended: only then is that intended. */
export function suspends(manifest: Json): boolean {
  return suspensionOf(manifest) !== undefined;
}
