import type { Deployment } from "../../model/deployment.ts";
import { keyOf, nameOf } from "../../model/object.ts";
import type { Change } from "../../model/plan.ts";
import type { Problem } from "../../model/problem.ts";
import { foreignness } from "../../model/protection.ts";
import type { InventoryEntry } from "../../model/release.ts";

/**
 * Objects that a deployment of the same name in another namespace has made. Labels and field managers go by the name alone, so
 * beyond its own namespace only its records tell what is whose: both would write such an object, and one would delete it under
 * the other.
 */
export function problemsOfNamesake(
  changes: readonly Change[],
  inventory: readonly InventoryEntry[],
  { name, namespace }: Pick<Deployment, "name" | "namespace">,
): readonly Problem[] {
  const recorded = new Set(inventory.map(({ id }) => keyOf(id)));
  return changes
    .filter(
      ({ key, id, live }) =>
        live !== undefined &&
        id.namespace !== namespace &&
        !recorded.has(key) &&
        foreignness(live, name) === undefined,
    )
    .map(({ id }) => ({
      what: `${nameOf(id)} was made by a deployment "${name}", but no release of it in namespace ${namespace} has recorded that: another one of this name, in another namespace, may own it`,
      fix: "Give one of the two deployments, or the object, another name; if the deployment has moved here, take it over with --adopt",
      where: [],
    }));
}
