import { releaseNamespaceLabel } from "../../model/annotations.ts";
import type { Deployment } from "../../model/deployment.ts";
import { keyOf, label, nameOf } from "../../model/object.ts";
import type { Change } from "../../model/plan.ts";
import type { Problem } from "../../model/problems/problem.ts";
import type { InventoryEntry } from "../../model/release.ts";
import { listed } from "../../model/text/closest.ts";
import { isNamedFor } from "../../ssa/protection.ts";

/** The maximum number of names that a message lists. */
const mostNames = 5;

/**
 * Returns the errors for objects that a deployment of the same name in another namespace created.
 * Both deployments would write such an object, and one would delete it while the other still needs
 * it. The label shows the owner. If an earlier version wrote no label, only a record of the object
 * identifies it outside the deployment's own namespace.
 * A user who gives a wrong namespace gets collisions for all objects, so each owner has only one
 * error.
 */
export function nameCollisions(
  changes: readonly Change[],
  inventory: readonly InventoryEntry[],
  { name, namespace }: Pick<Deployment, "name" | "namespace">,
): readonly Problem[] {
  const recorded = new Set(inventory.map(({ id }) => keyOf(id)));
  const colliding = changes.flatMap(({ key, id, live }) => {
    if (live === undefined || !isNamedFor(live, name)) return [];
    const owner = label(live, releaseNamespaceLabel);
    const isOwn =
      owner === undefined ? id.namespace === namespace || recorded.has(key) : owner === namespace;
    return isOwn ? [] : [{ subject: nameOf(id), owner }];
  });
  const byOwner = Map.groupBy(colliding, ({ owner }) => owner);
  return [...byOwner].map(([owner, theirs]) => {
    const subjects = theirs.map(({ subject }) => subject);
    return collision(subjects, whose(subjects.length > 1, owner, { name, namespace }));
  });
}

function whose(
  areMany: boolean,
  owner: string | undefined,
  { name, namespace }: Pick<Deployment, "name" | "namespace">,
): string {
  if (owner !== undefined)
    return `${areMany ? "belong" : "belongs"} to the deployment "${name}" of namespace ${owner}`;
  const [were, them] = areMany ? ["were", "them"] : ["was", "it"];
  return `${were} created by a deployment "${name}", but no release of it in namespace ${namespace} has recorded that: another one of this name, in another namespace, may own ${them}`;
}

function collision(subjects: readonly string[], said: string): Problem {
  const object = subjects.length > 1 ? "the objects" : "the object";
  return {
    code: "name-collision",
    subjects,
    what: `${listed(subjects, mostNames)} ${said}`,
    fix: `Give one of the two deployments, or ${object}, another name; if the deployment has moved here, take it over with --adopt`,
    inputs: ["adopt: true"],
    where: [],
  };
}
