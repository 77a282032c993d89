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
  const isListed = ({ id }: Known) => !isDefinition(id);
  const declared = knownOf(objects).filter(isListed);
  // Each in the version that it is declared in: in another one it would seem to differ from that.
  const ofVersions = [...Map.groupBy(declared, ({ apiVersion }) => apiVersion).values()];
  const places = new Set(declared.map(placeOf));
  const others = inventory.filter((each) => isListed(each) && !places.has(placeOf(each)));
  return [...ofVersions, others].flatMap(listsOf).toSorted(byPlace);
}

function byPlace(a: LiveList, b: LiveList): number {
  const textOf = ({ apiVersion, kind, namespace = "" }: LiveList) =>
    `${groupOf(apiVersion)} ${kind} ${namespace} ${apiVersion}`;
  return textOf(a) < textOf(b) ? -1 : 1;
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
  return [...knownOf(objects), ...inventory];
}

function knownOf(objects: readonly DeclaredObject[]): readonly Known[] {
  return objects.map(({ id, object }) => ({ id, apiVersion: object.apiVersion }));
}

function placeOf({ id, apiVersion }: Known): string {
  return `${groupOf(apiVersion)} ${id.kind} ${id.namespace}`;
}

/** One of each kind and place. */
export function listsOf(all: readonly Known[]): readonly LiveList[] {
  const lists = new Map<string, LiveList>();
  for (const { id, apiVersion } of all) {
    const key = placeOf({ id, apiVersion });
    const namespace = id.namespace === "" ? undefined : id.namespace;
    if (!lists.has(key)) lists.set(key, { apiVersion, kind: id.kind, namespace });
  }
  return [...lists.keys()].toSorted().map((key) => lists.get(key) as LiveList);
}
