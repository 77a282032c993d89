import { addressOf, type KubeObject } from "../model/object.ts";
import type { Change, Plan } from "../model/plan/plan.ts";
import type { Finding } from "../model/problems/finding.ts";
import { declarationPlaces, type Position } from "../model/problems/problem.ts";
import type { IrreproducibleField } from "../model/sources/compilation.ts";
import type { ClusterFacts } from "./cluster-facts.ts";
import type { FactsPurpose } from "./predict-deletions.ts";

export interface PreflightInput {
  readonly plan: Plan;
  readonly facts: ClusterFacts;
  readonly releases: PreflightReleases;
  /** The purpose of the identity that has read the facts; undefined for a preview. */
  readonly purpose?: FactsPurpose | undefined;
  /** The time limit for one object in the deployment; undefined for the default. */
  readonly timeoutMs?: number | undefined;
  /** The fields of rendered charts that depend on chance or on the time. */
  readonly irreproducible?: readonly IrreproducibleField[];
  /** Returns the place where an adapter declares the object with that key. */
  readonly placeOf: (key: string) => Position | undefined;
}

/** Facts from earlier releases. */
export interface PreflightReleases {
  /** Keys of the objects that the last successful release declared. */
  readonly declared: ReadonlySet<string>;
  /** Set if the current release is a rollback that no later run has confirmed. */
  readonly rollback?: ActiveRollback | undefined;
  /**
   * Objects that qvs creates for itself in the namespace of the releases; missing if it records
   * nothing.
   */
  readonly ownObjects?: OwnObjectCounts | undefined;
}

/** Objects that count against quotas like any other object, before qvs creates anything else. */
export interface OwnObjectCounts {
  /** The Secrets of the release record. */
  readonly secrets: number;
  /** The Lease of the deployment lock, until it exists. */
  readonly leases: number;
}

export interface ActiveRollback {
  readonly revision: number;
  /** The release that the rollback applied again. */
  readonly to: number;
  /** The release before the rollback. */
  readonly from: number;
  /** True if the plan declares the same objects as the release before the rollback. */
  readonly redeploysPrevious: boolean;
  /** The event that would replace the rollback by this plan. */
  readonly replacingEvent: "merging" | "no merge" | "a push" | "another rollback";
}

/** A check that predicts one effect of a plan; each has a file in `rules/`. */
export type PreflightRule = (input: PreflightInput) => readonly Finding[];

/** Builds a finding about a change, in the place that declares its object. */
export function changeFinding(
  { desired, key }: Pick<Change, "desired" | "key">,
  placeOf: PreflightInput["placeOf"],
  finding: Omit<Finding, "object" | "where">,
): Finding {
  const where = declarationPlaces({ where: placeOf(key) });
  return { ...finding, object: addressOf(desired), where };
}

/** Builds a finding that no line of a file causes, such as one about a deleted object. */
export function findingWithoutPlace(
  object: KubeObject,
  finding: Omit<Finding, "object" | "where">,
): Finding {
  return { ...finding, object: addressOf(object), where: [] };
}
