import { isCoreKind } from "../model/kinds.ts";
import { keyOf, nameOf, type ObjectId } from "../model/object.ts";
import type { Change } from "../model/plan.ts";
import { declarationPlaces, type Problem } from "../model/problems/problem.ts";
import type { InventoryEntry } from "../model/release.ts";
import { summarizeList } from "../model/text/closest.ts";
import { foreignProtection, protectedKinds } from "../ssa/protection.ts";
import type { DeclaredObject } from "./declared/objects.ts";
import type { PlanRules } from "./plan-input.ts";

/** The protected kinds that the deletion of an environment deletes. It keeps no data. */
export const environmentKinds: readonly string[] = [...protectedKinds.keys()];

/** The maximum number of names that a message lists. */
const maxNames = 10;

/**
 * Returns the error for declared objects outside the only namespace of an environment.
 * The author of a pull request must not change what others use. A Namespace, a
 * CustomResourceDefinition or a webhook affects more than the environment.
 */
export function outsideObjectProblems(
  declared: readonly DeclaredObject[],
  { deployment, onlyNamespace }: Pick<PlanRules, "deployment" | "onlyNamespace">,
): readonly Problem[] {
  if (onlyNamespace === undefined) return [];
  // If an adapter declared the namespace too, it would be declared twice, which is an error.
  const outside = declared.filter(({ id }) => !isWithin(id, onlyNamespace));
  if (outside.length === 0) return [];
  const names = outside.map(({ id }) => placedName(id)).toSorted();
  return [
    {
      code: "environment-outside-namespace",
      what: `"${deployment}" declares objects outside namespace ${onlyNamespace}`,
      why: "An environment can contain only objects of its own namespace",
      facts: [{ label: "objects", value: summarizeList(names, maxNames) }],
      fix: "Leave them out with a parameter that preview.params sets",
      otherwise: ["remove metadata.namespace from the manifests"],
      where: declarationPlaces(...outside),
    },
  ];
}

function placedName(id: ObjectId): string {
  return id.namespace === "" ? `${nameOf(id)} (cluster-wide)` : nameOf(id);
}

/** Reports whether an object can belong to an environment, whatever a record says. */
export function isWithin(id: ObjectId, onlyNamespace: string): boolean {
  return id.namespace === onlyNamespace || isOwnNamespace(id, onlyNamespace);
}

/** Reports whether an object is the namespace of an environment. */
export function isOwnNamespace(id: ObjectId, onlyNamespace: string | undefined): boolean {
  return isCoreKind(id, "Namespace") && id.name === onlyNamespace;
}

/**
 * Returns the error for the namespace of an environment that exists already.
 * qvs adopts no namespace: its deletion would delete what others have in it. Both must agree that
 * this environment created it: a release, and the labels and field manager of the live object.
 */
export function foreignNamespaceProblems(
  changes: readonly Pick<Change, "key" | "id" | "live">[],
  inventory: readonly InventoryEntry[],
  rules: PlanRules,
): readonly Problem[] {
  const own = changes.find(({ id }) => isOwnNamespace(id, rules.onlyNamespace));
  if (own?.live === undefined) return [];
  const isRecorded = inventory.some(({ id }) => keyOf(id) === own.key);
  const foreign = foreignProtection(own.live, rules);
  if (isRecorded && foreign === undefined) return [];
  return [
    {
      code: "environment-not-own",
      what: `${nameOf(own.id)} exists already and isn't this environment's`,
      why: foreign?.detail ?? "no release records that this environment created it",
      fix: "Use another namespace in preview.namespace",
      otherwise: ["delete the namespace yourself if no one needs it"],
      where: [],
    },
  ];
}
