import { keepOnDeleteAnnotation } from "../model/annotations.ts";
import type {
  InventoryEntry,
  ObjectOrigin,
  ObjectResult,
  Release,
  ReleasedManifest,
} from "../model/deployments/release.ts";
import type { ReleaseHistory } from "../model/deployments/release-history.ts";
import { annotation, idOf, isKubeObject, type KubeObject, keyOf } from "../model/object.ts";
import type { KeptObject } from "../model/plan/deletion.ts";
import type { Change, Edge, Plan } from "../model/plan/plan.ts";
import {
  type DeploymentIdentity,
  hasLostManagedFields,
  matchesDeploymentName,
} from "../ssa/protection.ts";

/**
 * Returns everything that a deployment might have left in the cluster, sorted by key.
 * It is last succeeded ∪ all later pending and failed ones (docs/concepts/releases.md#inventory).
 * If several releases contain an object, the newest entry counts, with the edges of all. qvs can't
 * know which of them created the live object. None of its dependencies can be deleted before it.
 */
export function liveInventory({
  releases,
  possiblyLive,
}: ReleaseHistory): readonly InventoryEntry[] {
  const inventory = withAllEdges(possiblyLive.map((release) => release.inventory));
  return withRecordedOrigins(inventory, releases);
}

/**
 * Adds the objects that the release itself declares.
 * They are missing only if a user changed the record. Without this step, a deletion would leave
 * them in the cluster, and no record would contain them.
 */
export function addDeclared(
  inventory: readonly InventoryEntry[],
  manifests: readonly ReleasedManifest[],
  isValid: (entry: InventoryEntry) => boolean,
): readonly InventoryEntry[] {
  const known = new Set(inventory.map(({ id }) => keyOf(id)));
  const lost = manifests.flatMap(({ object, stage }): readonly InventoryEntry[] => {
    if (!isKubeObject(object) || known.has(keyOf(idOf(object)))) return [];
    const keepOnDelete = annotation(object, keepOnDeleteAnnotation);
    const id = idOf(object);
    const entry = { id, apiVersion: object.apiVersion, stage, after: [], keepOnDelete };
    return isValid(entry) ? [entry] : [];
  });
  return lost.length === 0 ? inventory : mergeInventories([inventory, lost]);
}

/**
 * Returns the inventory to record before the first change.
 * It contains the objects that might exist already and all objects that the plan creates.
 */
export function inventoryWithPlan(
  inventory: readonly InventoryEntry[],
  plan: Plan,
): readonly InventoryEntry[] {
  return markLeft(withAllEdges([plannedEntries(plan, inventory), inventory]), plan);
}

/**
 * Returns the inventory after a plan was carried out in full.
 * It contains the declared and kept objects, and objects whose deletion was left to a later run. If
 * the plan covered only one stage, all other objects stay, whichever stage created them.
 */
export function finalInventory(
  inventory: readonly InventoryEntry[],
  plan: Plan,
  results: readonly ObjectResult[],
): readonly InventoryEntry[] {
  const deleted = new Set(
    results.filter(({ outcome }) => outcome === "deleted").map((result) => result.key),
  );
  const undeclared = new Set([...plan.kept, ...plan.deletions].map((object) => object.key));
  const canStay = (key: string) =>
    plan.onlyStage !== undefined || plan.isPartial === true || undeclared.has(key);
  const remaining = inventory.filter(({ id }) => canStay(keyOf(id)) && !deleted.has(keyOf(id)));
  const left = markLeft(mergeInventories([plannedEntries(plan, inventory), remaining]), plan);
  return markAdopted(left, results);
}

function plannedEntries(
  plan: Plan,
  inventory: readonly InventoryEntry[],
): readonly InventoryEntry[] {
  const before = originsByKey(inventory);
  return plan.changes.map((change) => {
    const { id, stage, desired } = change;
    const after = change.after.filter(({ unrecorded }) => unrecorded !== true);
    const keepOnDelete = annotation(desired, keepOnDeleteAnnotation);
    const origin = plannedOrigin(change, plan, before);
    const entry = { id, apiVersion: desired.apiVersion, stage, after, keepOnDelete };
    return origin === undefined ? entry : { ...entry, origin };
  });
}

function withAllEdges(lists: readonly (readonly InventoryEntry[])[]): readonly InventoryEntry[] {
  const known = Map.groupBy(lists.flat(), ({ id }) => keyOf(id));
  return mergeInventories(lists).map((entry) => {
    const edges = new Map<string, Edge>();
    for (const { after } of known.get(keyOf(entry.id)) ?? []) {
      for (const edge of after) if (!edges.has(edge.on)) edges.set(edge.on, edge);
    }
    return { ...entry, after: [...edges.values()] };
  });
}

/** Merges inventories. For each object, the first list that contains it wins. */
function mergeInventories(
  lists: readonly (readonly InventoryEntry[])[],
): readonly InventoryEntry[] {
  const entries = new Map<string, InventoryEntry>();
  for (const list of lists) {
    for (const entry of list) {
      const key = keyOf(entry.id);
      if (!entries.has(key)) entries.set(key, entry);
    }
  }
  return [...entries.keys()].toSorted().map((key) => entries.get(key) as InventoryEntry);
}

type OriginByKey = ReadonlyMap<string, ObjectOrigin | undefined>;

function originsByKey(inventory: readonly InventoryEntry[]): OriginByKey {
  return new Map(inventory.map(({ id, origin }) => [keyOf(id), origin]));
}

/** Returns the origin of an object that a plan writes, from the live object in the plan. */
function plannedOrigin(
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
function markLeft(
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
function withRecordedOrigins(
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
