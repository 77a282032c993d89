import { releaseNamespaceLabel } from "../../model/annotations.ts";
import type { Deployment } from "../../model/deployments/deployment.ts";
import type { InventoryEntry } from "../../model/deployments/release.ts";
import { keyOf, label, nameOf } from "../../model/object.ts";
import type { Change } from "../../model/plan/plan.ts";
import type { Problem } from "../../model/problems/problem.ts";
import { summarizeList } from "../../model/text/suggest.ts";
import { matchesDeploymentName } from "../../ssa/protection.ts";

/** The maximum number of names that a message lists. */
const maxNames = 5;

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
    if (live === undefined || !matchesDeploymentName(live, name)) return [];
    const owner = label(live, releaseNamespaceLabel);
    const isOwn =
      owner === undefined ? id.namespace === namespace || recorded.has(key) : owner === namespace;
    return isOwn ? [] : [{ subject: nameOf(id), owner }];
  });
  const byOwner = Map.groupBy(colliding, ({ owner }) => owner);
  return [...byOwner].map(([owner, theirs]) => {
    const subjects = theirs.map(({ subject }) => subject);
    return collisionProblem(subjects, owner, { name, namespace });
  });
}

function collisionProblem(
  subjects: readonly string[],
  owner: string | undefined,
  deployment: Pick<Deployment, "name" | "namespace">,
): Problem {
  const areMany = subjects.length > 1;
  const { what, why } = ownershipText(areMany, owner, deployment);
  return {
    code: "name-collision",
    subjects,
    what: `${summarizeList(subjects, maxNames)} ${what}`,
    ...(why === undefined ? {} : { why }),
    fix: "Give one of the two deployments another name",
    otherwise: [
      `give the ${areMany ? "objects" : "object"} another name`,
      "adopt the deployment with --adopt if it moved here",
    ],
    inputs: ["adopt: true"],
    where: [],
  };
}

function ownershipText(
  areMany: boolean,
  owner: string | undefined,
  { name, namespace }: Pick<Deployment, "name" | "namespace">,
): Pick<Problem, "what" | "why"> {
  if (owner !== undefined)
    return {
      what: `${areMany ? "belong" : "belongs"} to the deployment "${name}" of namespace ${owner}`,
    };
  const them = areMany ? "them" : "it";
  return {
    what: `might belong to another deployment "${name}" in another namespace`,
    why: `A deployment "${name}" created ${them}, but no release of it in namespace ${namespace} records that`,
  };
}
