import type { PlanInput } from "../../plan-input.ts";

/** The record that the manifest is from, which no one can edit. */
export interface PlannedRecord {
  readonly release: number;
  /** True for a drift correction, which has other flags than a rollback. */
  readonly corrects: boolean;
}

/** Returns the record that the manifest is from; undefined if it is from a commit. */
export function recordOf({ release, corrects }: PlanInput["rules"]): PlannedRecord | undefined {
  return release === undefined ? undefined : { release, corrects: corrects === true };
}

/** Returns the fix for a value that the API server rejects. */
export function correction(record: PlannedRecord | undefined): string {
  return record === undefined
    ? "Correct the value in the adapter, or in the parameter that it is made from"
    : hasItSo(record, "roll back to another release, or deploy a commit with a valid value");
}

export function hasItSo({ release }: PlannedRecord, fix: string): string {
  return `Release ${release} has it so: ${fix}`;
}
