import { keepOnDeleteAnnotation } from "../model/annotations.ts";
import { annotation, idOf, isKubeObject, keyOf } from "../model/object.ts";
import type { Edge, Plan } from "../model/plan.ts";
import type { InventoryEntry, ObjectResult, ReleasedManifest } from "../model/release.ts";
import type { ReleaseHistory } from "../model/release-history.ts";
import {
  markAdopted,
  markLeft,
  originsByKey,
  plannedOrigin,
  withRecordedOrigins,
} from "./origin.ts";

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
