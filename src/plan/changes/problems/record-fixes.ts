import type { Problem } from "../../../model/problems/problem.ts";
import type { PlanInput } from "../../plan-input.ts";

/** The record that the manifest is from, which no one can edit. */
export interface PlannedRecord {
  readonly release: number;
  /** True for a drift correction, which has other flags than a rollback. */
  readonly corrects: boolean;
}

/** Returns the record that the manifest is from; undefined if it is from a commit. */
export function plannedRecord({
  release,
  corrects,
}: PlanInput["rules"]): PlannedRecord | undefined {
  return release === undefined ? undefined : { release, corrects: corrects === true };
}

/** The reason for an action, the action, and others. */
export type ProblemFix = Pick<Problem, "why" | "fix" | "otherwise" | "inputs">;

/** Returns the fix for a value that the API server rejects. */
export function correctionFix(record: PlannedRecord | undefined): ProblemFix {
  return record === undefined
    ? { fix: "Correct the value in the adapter or in the parameter that sets it" }
    : {
        why: recordedReason(record),
        fix: "Roll back to another release",
        otherwise: ["deploy a commit with a valid value"],
      };
}

/** Returns the reason why no one can edit a value. */
export function recordedReason({ release }: PlannedRecord): string {
  return `Release ${release} recorded this value`;
}
