import type { PlanInput } from "../../plan-input.ts";

/** The record that the manifest is from, which nobody can edit. */
export interface PlannedRecord {
  readonly release: number;
  /** What runs is put right: that has other flags than a way back. */
  readonly corrects: boolean;
}

/** undefined where the manifest is from a commit. */
export function recordOf({ release, corrects }: PlanInput["rules"]): PlannedRecord | undefined {
  return release === undefined ? undefined : { release, corrects: corrects === true };
}

/** What to do about a value that the server refuses. */
export function correction(record: PlannedRecord | undefined): string {
  return record === undefined
    ? "Correct the value in the adapter, or in the parameter that it is made from"
    : hasItSo(record, "roll back to another release, or deploy a commit with a valid value");
}

export function hasItSo({ release }: PlannedRecord, fix: string): string {
  return `Release ${release} recorded this value: ${fix}`;
}
