import type { KubeObject } from "../../model/object.ts";
import type { FieldConflict } from "../../model/plan.ts";
import type { DesiredObject } from "../declared/objects.ts";
import type { PlanInput } from "../plan-input.ts";
import { rejectedObject } from "./decide-by-dry-run.ts";
import { onlyApply } from "./dry-run-skipped.ts";
import { conflictFailure } from "./problems/conflict-problem.ts";
import { dryRunProblems } from "./problems/dry-run-problems.ts";
import type { ChangeVerdict } from "./verdict.ts";

/** Returns the verdict that follows if the API server reports these ownership conflicts. */
export function ownerConflictVerdict(
  desired: DesiredObject,
  live: KubeObject | undefined,
  conflicts: readonly FieldConflict[],
  input: PlanInput,
): ChangeVerdict {
  const problems = dryRunProblems(
    desired,
    live,
    conflictFailure(conflicts),
    rejectedObject(desired, input),
  );
  const reason = problems[0]?.what ?? "";
  return { steps: onlyApply, certainty: { by: "refused", reason }, problems };
}
