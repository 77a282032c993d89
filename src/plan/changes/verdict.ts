import type { KubeObject } from "../../model/object.ts";
import type { Certainty, Step } from "../../model/plan/plan.ts";
import type { Problem } from "../../model/problems/problem.ts";

/** The steps that deploy a declared object, with their certainty. */
export interface ChangeVerdict {
  readonly steps: readonly Step[];
  readonly predicted?: KubeObject;
  readonly certainty: Certainty;
  readonly problems?: readonly Problem[];
}

export function unchecked(reason: string): Certainty {
  return { by: "unchecked", reason };
}

/** The verdict for an object that a comparison proves to be as declared. */
export const unchangedVerdict: ChangeVerdict = { steps: [], certainty: { by: "comparison" } };
