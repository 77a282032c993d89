import { releaseNamespaceLabel } from "../../model/annotations.ts";
import type { Deployment } from "../../model/deployment.ts";
import { keyOf, label, nameOf } from "../../model/object.ts";
import type { Change } from "../../model/plan.ts";
import type { Problem } from "../../model/problems/problem.ts";
import type { InventoryEntry } from "../../model/release.ts";
import { isNamedFor } from "../../ssa/protection.ts";

/**
 * Objects that a deployment of the same name in another namespace has made: both would write such an object, and one would
 * delete it under the other. Their label tells. Where an earlier version has written none, all that can be gone by beyond the
 * deployment's own namespace is whether it has recorded the object.
 */
export function nameCollisions(
  changes: readonly Change[],
  inventory: readonly InventoryEntry[],
  { name, namespace }: Pick<Deployment, "name" | "namespace">,
): readonly Problem[] {
  const recorded = new Set(inventory.map(({ id }) => keyOf(id)));
  return changes.flatMap(({ key, id, live }) => {
    if (live === undefined || !isNamedFor(live, name)) return [];
    const owner = label(live, releaseNamespaceLabel);
    if (owner === undefined) {
      return id.namespace === namespace || recorded.has(key) ? [] : [unknown(id, name, namespace)];
    }
    return owner === namespace ? [] : [elsewhere(id, name, owner)];
  });
}

function unknown(id: Change["id"], name: string, namespace: string): Problem {
  return {
    code: "name-collision",
    subjects: [nameOf(id)],
    what: `${nameOf(id)} was created by a deployment "${name}", but no release of it in namespace ${namespace} has recorded that: another one of this name, in another namespace, may own it`,
    fix,
    inputs: ["adopt: true"],
    where: [],
  };
}

function elsewhere(id: Change["id"], name: string, owner: string): Problem {
  return {
    code: "name-collision",
    subjects: [nameOf(id)],
    what: `${nameOf(id)} belongs to the deployment "${name}" of namespace ${owner}`,
    fix,
    inputs: ["adopt: true"],
    where: [],
  };
}

const fix =
  "Give one of the two deployments, or the object, another name; if the deployment has moved here, take it over with --adopt";
