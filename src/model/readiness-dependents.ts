import { stages } from "./compilation.ts";
import type { Change, Plan } from "./plan.ts";

/** The parts of a plan that follow only after an object is ready. */
export interface ReadinessDependents {
  /** The changes that depend on the object, or that are in a later stage. */
  readonly changes: readonly Change[];
  /** The deletions, which follow after everything is ready. */
  readonly deletions: Plan["deletions"];
  /** True if checks run after everything is ready. */
  readonly hasChecks: boolean;
}

/**
 * Returns the parts of a plan that wait until the object of a change is ready. An unchanged
 * object counts if it depends on the object, because other changes can depend on it.
 */
export function readinessDependents(
  { changes, deletions, checks = [] }: Pick<Plan, "changes" | "deletions" | "checks">,
  { key, stage }: Pick<Change, "key" | "stage">,
): ReadinessDependents {
  const order = stages.indexOf(stage);
  const dependents = changes.filter(
    (each) =>
      each.after.some(({ on }) => on === key) ||
      (stages.indexOf(each.stage) > order && each.action !== "unchanged"),
  );
  return { changes: dependents, deletions, hasChecks: checks.length > 0 };
}

/** Reports whether nothing waits until an object is ready. */
export function isWithoutDependents(found: ReadinessDependents): boolean {
  return found.changes.length === 0 && found.deletions.length === 0 && !found.hasChecks;
}
