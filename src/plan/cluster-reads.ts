import { isDefinition } from "../model/cluster/holder.ts";
import { groupOf, type ObjectAddress } from "../model/object.ts";
import type { InventoryEntry } from "../model/release.ts";
import type { DeclaredObject } from "./declared/objects.ts";

/** One LIST: all objects of a kind in a namespace, or of a cluster-scoped kind. */
export interface LiveList {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace: string | undefined;
}

/**
 * The fewest LISTs that show everything a plan looks at but the definitions, sorted: no label selector may narrow them, since
 * revisions count objects of others too. What is only in the inventory is read in the version that made it.
 */
export function listsToRead(
  objects: readonly DeclaredObject[],
  inventory: readonly InventoryEntry[],
): readonly LiveList[] {
  return listsOf(known(objects, inventory).filter(({ id }) => !isDefinition(id)));
}

/** What is read by its name beside those lists, sorted. */
export function objectsToRead(
  objects: readonly DeclaredObject[],
  inventory: readonly InventoryEntry[],
): readonly ObjectAddress[] {
  const definitions = known(objects, inventory).filter(({ id }) => isDefinition(id));
  const byName = new Map(
    definitions.toReversed().map(({ id, apiVersion }) => {
      const { kind, namespace, name } = id;
      return [name, { apiVersion, kind, namespace, name }] as const;
    }),
  );
  return [...byName.keys()].toSorted().map((name) => byName.get(name) as ObjectAddress);
}

type Known = Pick<InventoryEntry, "id" | "apiVersion">;

/** What is declared now comes first. */
function known(
  objects: readonly DeclaredObject[],
  inventory: readonly InventoryEntry[],
): readonly Known[] {
  return [
    ...objects.map(({ id, object }) => ({ id, apiVersion: object.apiVersion })),
    ...inventory,
  ];
}

/** One of each kind and place. */
export function listsOf(all: readonly Known[]): readonly LiveList[] {
  const lists = new Map<string, LiveList>();
  for (const { id, apiVersion } of all) {
    const key = `${groupOf(apiVersion)} ${id.kind} ${id.namespace}`;
    const namespace = id.namespace === "" ? undefined : id.namespace;
    if (!lists.has(key)) lists.set(key, { apiVersion, kind: id.kind, namespace });
  }
  return [...lists.keys()].toSorted().map((key) => lists.get(key) as LiveList);
}
