import { isNamespaceOrCrd } from "../../model/cluster/namespaces-and-crds.ts";
import type { InventoryEntry } from "../../model/deployments/release.ts";
import { nameFromKey, nameOf } from "../../model/object.ts";
import { type Deletion, type KeptObject, noHooksFix } from "../../model/plan/deletion.ts";
import type { Edge } from "../../model/plan/plan.ts";
import { declarationPlaces, type Problem } from "../../model/problems/problem.ts";
import type { DeclaredObject } from "../declared/objects.ts";
import { vitalEdges } from "../order/implicit-edges.ts";
import type { Graph } from "../order/order.ts";

interface RetainableObject {
  readonly key: string;
  readonly entry: InventoryEntry;
  /** Undefined if the object can be deleted. */
  readonly why: Pick<KeptObject, "why" | "detail"> | undefined;
}

/**
 * Keeps the dependencies of kept objects, which wouldn't work without them.
 * An object is deleted only after its dependents (docs/reference/deployment.md#deletion).
 * Namespaces and CRDs are left out: for those of kept objects, `deletionProblems` returns an error.
 */
export function retainDependencies<O extends RetainableObject>(
  orphans: readonly O[],
): readonly O[] {
  const byKey = new Map(orphans.map((orphan) => [orphan.key, orphan]));
  const queue = orphans.filter(({ why }) => why !== undefined);
  for (let kept = queue.shift(); kept !== undefined; kept = queue.shift()) {
    const detail = `${nameOf(kept.entry.id)} depends on it and is kept`;
    for (const { on } of kept.entry.after) {
      const found = byKey.get(on);
      if (found === undefined || found.why !== undefined || isNamespaceOrCrd(found.entry.id))
        continue;
      const needed = { ...found, why: { why: "needed", detail } as const };
      byKey.set(on, needed);
      queue.push(needed);
    }
  }
  return [...byKey.values()];
}

/**
 * Returns the errors for declared objects that depend on an object that would be deleted.
 * The deletion would break the declared object and block the next run.
 */
export function undeletableDependencies(
  desired: readonly DeclaredObject[],
  edges: Graph,
  deletions: readonly Deletion[],
): readonly Problem[] {
  const deletedKeys = new Set(deletions.map(({ key }) => key));
  if (deletedKeys.size === 0) return [];
  return desired.flatMap((object) => {
    const needed = [...vitalEdges(object), ...(edges.get(object.key) ?? [])];
    const byKey = new Map(
      needed.filter(({ on }) => deletedKeys.has(on)).map((edge) => [edge.on, edge]),
    );
    return [...byKey.values()].map((edge) => dependencyProblem(object, edge));
  });
}

function dependencyProblem(object: DeclaredObject, { on, reason }: Edge): Problem {
  const [name, needed] = [nameOf(object.id), nameFromKey(on)];
  const problem = {
    code: "dependency-deleted",
    subjects: [name],
    what: `${name} depends on ${needed}, which would be deleted`,
    facts: [{ label: "dependency", value: reason }],
    where: declarationPlaces(object),
  } as const;
  if (object.hook !== undefined)
    return {
      ...problem,
      why: "The hook runs after the deletion of all other objects",
      fix: noHooksFix,
      otherwise: [`make ${needed} a post-delete hook too, or ${name} a pre-delete hook`],
    };
  return {
    ...problem,
    why: `${needed} is no longer declared`,
    fix: `Declare ${needed} again`,
    otherwise: [`remove the dependency on it from ${name}`],
  };
}
