import {
  crdNameKey,
  type ExclusiveValue,
  exclusiveValues,
} from "../../model/cluster/exclusive-values.ts";
import { idOf, type KubeObject, keyOf, nameOf, type ObjectId } from "../../model/object.ts";
import { isKnownAfterDeploy } from "../../model/plan/apply-time-reference.ts";
import type { Change } from "../../model/plan/plan.ts";
import type { Finding } from "../../model/problems/finding.ts";
import type { ClusterFacts } from "../cluster-facts.ts";
import { changeFinding, type PreflightInput } from "../rule.ts";

/**
 * Reports exclusive values, such as a node port, that two objects of this plan or of earlier
 * deployments claim.
 * The API server accepts each object while the other doesn't exist, even in a dry run.
 * It rejects the dry run only if a live object has the value.
 */
export function exclusiveValueConflict({
  plan,
  facts,
  placeOf,
}: PreflightInput): readonly Finding[] {
  const first = new Map<string, ObjectId>(servedNames(facts));
  for (const { id, desired, live } of facts.upstreamChanges) {
    for (const { key } of newExclusiveClaims(desired, live))
      if (!first.has(key)) first.set(key, id);
  }
  return plan.changes.filter(isWritten).flatMap((change): readonly Finding[] => {
    const { id, desired, live } = change;
    const found = newExclusiveClaims(desired, live).flatMap((claim): readonly Finding[] => {
      const other = first.get(claim.key);
      if (other === undefined) first.set(claim.key, id);
      if (other === undefined || nameOf(other) === nameOf(id)) return [];
      const { description: words, path, why, fix } = claim;
      return [
        changeFinding(change, placeOf, {
          code: "exclusive-value-conflict",
          severity: "error",
          what: `${nameOf(id)} and ${nameOf(other)} both claim ${words}`,
          why,
          fix,
          path,
        }),
      ];
    });
    // One finding for each pair of objects is enough.
    return found.slice(0, 1);
  });
}

/**
 * Returns the names that live CustomResourceDefinitions have.
 * A dry run of another definition doesn't report these conflicts.
 */
function servedNames({
  kinds,
  upstreamDeletions,
}: ClusterFacts): readonly (readonly [string, ObjectId])[] {
  const deletedKeys = new Set(upstreamDeletions.map(({ live }) => keyOf(idOf(live))));
  return kinds.flatMap(({ group, kind, plural, names = [] }) => {
    const id = { ...crd, name: `${plural}.${group}` };
    const claims = [
      crdNameKey(group, "kind", kind),
      crdNameKey(group, "kind", `${kind}List`),
      ...[plural, ...names].map((name) => crdNameKey(group, "resource", name)),
    ];
    return deletedKeys.has(keyOf(id)) ? [] : claims.map((key) => [key, id] as const);
  });
}

const crd = {
  group: "apiextensions.k8s.io",
  kind: "CustomResourceDefinition",
  namespace: "",
} as const;

function isWritten({ action }: Change): boolean {
  return action !== "unchanged";
}

function newExclusiveClaims(
  desired: KubeObject,
  live: KubeObject | undefined,
): readonly ExclusiveValue[] {
  const held = new Set(
    live === undefined ? [] : exclusiveValues(live, isKnown).map(({ key }) => key),
  );
  return exclusiveValues(desired, isKnown).filter(({ key }) => !held.has(key));
}

function isKnown(value: string): boolean {
  return !isKnownAfterDeploy(value);
}
