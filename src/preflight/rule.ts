import type { Plan } from "../model/plan.ts";
import type { Finding } from "../model/problems/finding.ts";
import type { Position } from "../model/problems/problem.ts";
import type { ClusterFacts } from "./facts.ts";
import type { Purpose } from "./foretell-deletions.ts";

export interface PreflightInput {
  readonly plan: Plan;
  readonly facts: ClusterFacts;
  readonly releases: ReleaseFacts;
  /** Whose rights those are that the facts were read with; undefined for those of a preview. */
  readonly purpose?: Purpose | undefined;
  /** How long the deployment would wait for one object; undefined for as long as usual. */
  readonly timeoutMs?: number | undefined;
  /** Where an adapter declares the object of that key. */
  readonly placeOf: (key: string) => Position | undefined;
}

/** What earlier releases tell. */
export interface ReleaseFacts {
  /** Keys of the objects that the last release declared that succeeded. */
  readonly declared: ReadonlySet<string>;
  /** Set where the release that runs holds somebody's decision to go back. */
  readonly rollback?: RollbackThatRuns | undefined;
  /** Objects that qvs itself will create in the namespace of the releases; missing where the deployment records nothing. */
  readonly ownObjects?: OwnObjects | undefined;
}

/** They count against quotas like any other object, before anything else is created. */
export interface OwnObjects {
  /** The record of the release and its parts. */
  readonly secrets: number;
  /** The deployment lock, until it exists. */
  readonly leases: number;
}

export interface RollbackThatRuns {
  readonly revision: number;
  /** The release that it re-applied. */
  readonly to: number;
  /** The release that ran before it. */
  readonly from: number;
  /** What is to be deployed declares the same objects as that one. */
  readonly isBroughtBack: boolean;
  /** What would put this plan in the place of the rollback. */
  readonly endedBy: "merging" | "no merge" | "a push" | "another rollback";
}

/** One kind of thing that a cluster does with plans; a file each in `rules/`. */
export type Rule = (input: PreflightInput) => readonly Finding[];
