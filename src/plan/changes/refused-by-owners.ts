import type { KubeObject } from "../../model/object.ts";
import type { FieldConflict } from "../../model/plan.ts";
import type { DesiredObject } from "../declared/objects.ts";
import type { PlanInput } from "../plan-input.ts";
import { refusedObject } from "./judge-dry-run.ts";
import { conflictFailure } from "./problems/conflict-problem.ts";
import { problemsOfDryRun } from "./problems/dry-run-problems.ts";
import { onlyApply } from "./unasked.ts";
import type { Verdict } from "./verdict.ts";

/** Returns the verdict that follows if the API server reports these ownership conflicts. */
export function refusedByOwners(
  desired: DesiredObject,
  live: KubeObject | undefined,
  conflicts: readonly FieldConflict[],
  input: PlanInput,
): Verdict {
  const problems = problemsOfDryRun(
    desired,
    live,
    conflictFailure(conflicts),
    refusedObject(desired, input),
  );
  const reason = problems[0]?.what ?? "";
  return { steps: onlyApply, certainty: { by: "refused", reason }, problems };
}
