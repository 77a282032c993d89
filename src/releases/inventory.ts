import { keepOnDeleteAnnotation } from "../model/annotations.ts";
import { annotation, idOf, isKubeObject, keyOf } from "../model/object.ts";
import type { Edge, Plan } from "../model/plan.ts";
import {
  type InventoryEntry,
  mayBeLive,
  type ObjectResult,
  type Release,
  type ReleasedManifest,
} from "../model/release.ts";
import { markLeft, markMet, originsIn, plannedOrigin, withRecordedOrigins } from "./origin.ts";

/**
 * Everything that a deployment may have left in the cluster: last succeeded ∪ all later pending and failed ones
 * (docs/concepts/releases.md#inventory), sorted by key. Where several releases know an object, what the newest one says counts,
 * but the edges of all: nobody knows which of them made the object that is there, and until then none of its dependencies may go.
 */
export function inventoryOf(releases: readonly Release[]): readonly InventoryEntry[] {
  const inventory = withAllEdges(mayBeLive(releases).map((release) => release.inventory));
  return withRecordedOrigins(inventory, releases);
}

/**
 * The inventory with what its own release declares. It is always in there, unless somebody has changed the record: then a deletion
 * would leave it behind with nothing that knows of it.
 */
export function withDeclared(
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
  return lost.length === 0 ? inventory : union([inventory, lost]);
}

/** The inventory to record before the first change: what may be there already, and all that is about to be. */
export function inventoryWithPlan(
  inventory: readonly InventoryEntry[],
  plan: Plan,
): readonly InventoryEntry[] {
  return markLeft(withAllEdges([plannedEntries(plan, inventory), inventory]), plan);
}

/**
 * What is left after a plan was carried out in full: what it declares, what it kept, and what it meant to delete but
 * left for a later run. After one of a single stage everything else is still there, whichever stage it was made in.
 */
export function inventoryAfter(
  inventory: readonly InventoryEntry[],
  plan: Plan,
  results: readonly ObjectResult[],
): readonly InventoryEntry[] {
  const gone = new Set(
    results.filter(({ outcome }) => outcome === "deleted").map((result) => result.key),
  );
  const undeclared = new Set([...plan.kept, ...plan.deletions].map((object) => object.key));
  const mayStay = (key: string) =>
    plan.onlyStage !== undefined || plan.isPart === true || undeclared.has(key);
  const stays = inventory.filter(({ id }) => mayStay(keyOf(id)) && !gone.has(keyOf(id)));
  const left = markLeft(union([plannedEntries(plan, inventory), stays]), plan);
  return markMet(left, results);
}

function plannedEntries(
  plan: Plan,
  inventory: readonly InventoryEntry[],
): readonly InventoryEntry[] {
  const before = originsIn(inventory);
  return plan.changes.map((change) => {
    const { id, stage, desired } = change;
    const after = change.after.filter(({ whileCreated }) => whileCreated !== true);
    const keepOnDelete = annotation(desired, keepOnDeleteAnnotation);
    const origin = plannedOrigin(change, plan, before);
    const entry = { id, apiVersion: desired.apiVersion, stage, after, keepOnDelete };
    return origin === undefined ? entry : { ...entry, origin };
  });
}

function withAllEdges(lists: readonly (readonly InventoryEntry[])[]): readonly InventoryEntry[] {
  const known = Map.groupBy(lists.flat(), ({ id }) => keyOf(id));
  return union(lists).map((entry) => {
    const edges = new Map<string, Edge>();
    for (const { after } of known.get(keyOf(entry.id)) ?? []) {
      for (const edge of after) if (!edges.has(edge.on)) edges.set(edge.on, edge);
    }
    return { ...entry, after: [...edges.values()] };
  });
}

/** The first list that knows an object wins. */
function union(lists: readonly (readonly InventoryEntry[])[]): readonly InventoryEntry[] {
  const entries = new Map<string, InventoryEntry>();
  for (const list of lists) {
    for (const entry of list) {
      const key = keyOf(entry.id);
      if (!entries.has(key)) entries.set(key, entry);
    }
  }
  return [...entries.keys()].toSorted().map((key) => entries.get(key) as InventoryEntry);
}
