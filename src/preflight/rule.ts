import type { Finding } from "../model/finding.ts";
import type { Plan } from "../model/plan.ts";
import type { Position } from "../model/problem.ts";
import type { ClusterFacts } from "./facts.ts";

export interface PreflightInput {
  readonly plan: Plan;
  readonly facts: ClusterFacts;
  /** Where an adapter declares the object of that key. */
  readonly placeOf: (key: string) => Position | undefined;
}

/** One kind of thing that a cluster does with plans; a file each in `rules/`. */
export type Rule = (input: PreflightInput) => readonly Finding[];
