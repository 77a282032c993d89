import type { Problem } from "../../model/problems/problem.ts";

/** A record can't be edited: what would cure a manifest is no cure for what a release has recorded. */
export function adviseOnRecord(release: number): (told: Problem) => Problem {
  return (told) => {
    const fix = fixes[told.code];
    return fix === undefined ? told : { ...told, fix: `Release ${release} has it so: ${fix}` };
  };
}

const fixes: Partial<Record<Problem["code"], string>> = {
  "immutable-field":
    "delete the object yourself first if it may be absent for a moment, or deploy a commit that declares the same",
  "invalid-object": "roll back to another release, or deploy a commit with a valid value",
};
