import { ignoreChangesAnnotation } from "../annotations.ts";
import { at, type Json, textAt } from "../json.ts";
import { idleReason } from "./jobs.ts";

/** Fields by which kinds of any group suspend their work. */
const suspensionFields = [
  ["spec", "suspend"],
  ["spec", "paused"],
  ["spec", "runPolicy", "suspend"],
] as const;

/** A field that suspends an object, with its description. */
export interface Suspension {
  readonly path: readonly string[];
  readonly why: string;
}

/** Returns the suspension of an object; undefined if it isn't suspended. */
export function findSuspension(object: Json): Suspension | undefined {
  const path = suspensionFields.find((each) => at(object, ...each) === true);
  if (path !== undefined) return { path, why: `suspended by ${path.join(".")}` };
  const isJob = at(object, "kind") === "Job";
  const idle = isJob ? idleReason(object) : undefined;
  return idle === undefined ? undefined : { path: ["spec", "parallelism"], why: idle };
}

/**
 * Reports whether a deployment continues while the object is suspended.
 * The manifest must declare the suspension or ignore the field. A pre-existing CronJob can also
 * stay suspended, because this run doesn't wait for its work.
 */
export function mayStaySuspended({
  action,
  desired,
}: {
  readonly action: string;
  readonly desired: Json;
}): boolean {
  const isCronJob = at(desired, "kind") === "CronJob";
  return (
    declaresSuspension(desired) || ignoresSuspension(desired) || (isCronJob && action !== "create")
  );
}

/** Reports whether a manifest excludes the field with `ignore-changes`. */
function ignoresSuspension(manifest: Json): boolean {
  const ignored = textAt(manifest, "metadata", "annotations", ignoreChangesAnnotation) ?? "";
  const paths = ignored.split(",").map((path) => path.trim());
  return suspensionFields.some((each) => paths.includes(each.join(".")));
}

/** Reports whether a manifest declares the suspension. A suspension without it isn't intended. */
export function declaresSuspension(manifest: Json): boolean {
  return findSuspension(manifest) !== undefined;
}
