import { stages } from "../sources/compilation.ts";
import type { Change, Plan } from "./plan.ts";

/** The parts of a plan that follow only after an object is ready. */
export interface ReadinessDependents {
  /** The changes that depend on the object, or that are in a later stage. */
  readonly changes: readonly Change[];
  /** The deletions, which follow after everything is ready. */
  readonly deletions: Plan["deletions"];
}

/**
 * Returns the parts of a plan that wait until the object of a change is ready. An unchanged
 * object counts if it depends on the object, because other changes can depend on it.
 */
export function readinessDependents(
  { changes, deletions }: Pick<Plan, "changes" | "deletions">,
  { key, stage }: Pick<Change, "key" | "stage">,
): ReadinessDependents {
  const order = stages.indexOf(stage);
  const dependents = changes.filter(
    (each) =>
      each.after.some(({ on }) => on === key) ||
      (stages.indexOf(each.stage) > order && each.action !== "unchanged"),
  );
  return { changes: dependents, deletions };
}

/**
 * Returns a function that reports whether anything waits until the object of a change is ready. It
 * reads the plan once, because a run asks for each object.
 */
export function findReadinessDependents({
  changes,
  deletions,
  checks = [],
}: Pick<Plan, "changes" | "deletions" | "checks">): (
  change: Pick<Change, "key" | "stage">,
) => boolean {
  if (deletions.length > 0 || checks.length > 0) return () => true;
  const needed = new Set(changes.flatMap(({ after }) => after.map(({ on }) => on)));
  const changed = new Set(
    changes.filter(({ action }) => action !== "unchanged").map(({ stage }) => stage),
  );
  const last = stages.findLastIndex((stage) => changed.has(stage));
  return ({ key, stage }) => needed.has(key) || stages.indexOf(stage) < last;
}
