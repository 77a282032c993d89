import { isClaim } from "../model/cluster/persistent-volume-claims.ts";
import { idOf, type KubeObject, keyOf, uidOf } from "../model/object.ts";
import { grownClaims, type Plan } from "../model/plan/plan.ts";
import { setAtPath } from "../ssa/json-patch.ts";
import { asPlanned } from "./planned-pods.ts";

/** Returns the claims that exist after the plan. */
export function remainingClaims(plan: Plan, claims: readonly KubeObject[]): readonly KubeObject[] {
  const deleted = new Set(plan.deletions.map(({ key }) => key));
  const changed = new Map(
    plan.changes.filter(({ id }) => isClaim(id)).map((change) => [change.key, asPlanned(change)]),
  );
  const left = claims.filter((claim) => !deleted.has(keyOf(idOf(claim))));
  const grown = grownSizes(plan);
  const all = [
    ...left.map((claim) => [keyOf(idOf(claim)), withSize(claim, grown)] as const),
    ...changed,
  ];
  return [...new Map(all).values()];
}

/** Returns the planned sizes of claims that grow, by uid. */
function grownSizes({ changes }: Plan): ReadonlyMap<string, string> {
  const claims = changes.flatMap(({ steps }) => grownClaims(steps));
  return new Map(claims.map(({ uid, to }) => [uid, to]));
}

function withSize(claim: KubeObject, grown: ReadonlyMap<string, string>): KubeObject {
  const size = grown.get(uidOf(claim));
  return size === undefined
    ? claim
    : (setAtPath(claim, ["spec", "resources", "requests", "storage"], size) as KubeObject);
}
