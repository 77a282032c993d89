import type { KeptObject } from "../model/deletion.ts";
import { type KubeObject, keyOf } from "../model/object.ts";
import type { Change, Plan } from "../model/plan.ts";
import type { InventoryEntry, ObjectOrigin, ObjectResult, Release } from "../model/release.ts";
import {
  type DeploymentIdentity,
  hasLostManagedFields,
  matchesDeploymentName,
} from "../ssa/protection.ts";

type OriginByKey = ReadonlyMap<string, ObjectOrigin | undefined>;

export function originsByKey(inventory: readonly InventoryEntry[]): OriginByKey {
  return new Map(inventory.map(({ id, origin }) => [keyOf(id), origin]));
}

/** Returns the origin of an object that a plan writes, from the live object in the plan. */
export function plannedOrigin(
  { key, action, live }: Pick<Change, "key" | "action" | "live">,
  owner: DeploymentIdentity,
  before: OriginByKey,
): ObjectOrigin | undefined {
  if (live === undefined || action === "replace") return "created";
  if (!isOwnObject(live, owner)) return "met";
  const known = before.get(key);
  // The manifest declares it again.
  return known === "left" ? "met" : known;
}

/** Reports whether a release of this deployment has already been applied to the object. */
function isOwnObject(live: KubeObject, owner: DeploymentIdentity): boolean {
  return matchesDeploymentName(live, owner.deployment) || hasLostManagedFields(live, owner);
}

/**
 * Marks the adopted objects that a plan leaves in the cluster. No later deployment deletes them.
 */
export function markLeft(
  inventory: readonly InventoryEntry[],
  { kept }: Pick<Plan, "kept">,
): readonly InventoryEntry[] {
  const left = new Set(kept.filter(isLeft).map(({ key }) => key));
  return inventory.map((entry) =>
    left.has(keyOf(entry.id)) ? { ...entry, origin: "left" } : entry,
  );
}

function isLeft({ why }: KeptObject): boolean {
  return why === "met before";
}

/** Marks the objects that another client created after the plan was made. */
export function markAdopted(
  inventory: readonly InventoryEntry[],
  results: readonly ObjectResult[],
): readonly InventoryEntry[] {
  const adopted = new Set(results.filter((result) => result.met === true).map(({ key }) => key));
  return inventory.map((entry) =>
    adopted.has(keyOf(entry.id)) ? { ...entry, origin: "met" } : entry,
  );
}

/** Fills missing origins of old records from their results. */
export function withRecordedOrigins(
  inventory: readonly InventoryEntry[],
  releases: readonly Release[],
): readonly InventoryEntry[] {
  if (inventory.every(({ origin }) => origin !== undefined)) return inventory;
  const results = releases.flatMap((release) => release.results);
  const created = new Set(results.filter(isCreation).map(({ key }) => key));
  return inventory.map((entry) =>
    entry.origin === undefined && created.has(keyOf(entry.id))
      ? { ...entry, origin: "created" }
      : entry,
  );
}

function isCreation({ outcome, met }: ObjectResult): boolean {
  return (outcome === "created" || outcome === "replaced") && met !== true;
}
