import type { KubeObject } from "../../model/object.ts";
import type { Certainty, Step } from "../../model/plan.ts";
import type { Problem } from "../../model/problems/problem.ts";

/** How a declared object is brought about, and how sure that is. */
export interface Verdict {
  readonly steps: readonly Step[];
  readonly predicted?: KubeObject;
  readonly certainty: Certainty;
  readonly problems?: readonly Problem[];
}

export function unchecked(reason: string): Certainty {
  return { by: "unchecked", reason };
}

/** It is as it is declared, which a comparison shows. */
export const unchanged: Verdict = { steps: [], certainty: { by: "comparison" } };
