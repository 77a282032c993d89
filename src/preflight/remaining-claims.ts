import { isClaim } from "../model/cluster/persistent-volume-claims.ts";
import { idOf, type KubeObject, keyOf } from "../model/object.ts";
import type { Plan } from "../model/plan.ts";
import { asPlanned } from "./planned-pods.ts";

/** Returns the claims that exist after the plan. */
export function remainingClaims(plan: Plan, claims: readonly KubeObject[]): readonly KubeObject[] {
  const deleted = new Set(plan.deletions.map(({ key }) => key));
  const changed = new Map(
    plan.changes.filter(({ id }) => isClaim(id)).map((change) => [change.key, asPlanned(change)]),
  );
  const left = claims.filter((claim) => !deleted.has(keyOf(idOf(claim))));
  const all = [...left.map((claim) => [keyOf(idOf(claim)), claim] as const), ...changed];
  return [...new Map(all).values()];
}
