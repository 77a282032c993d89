import { deploymentLabel } from "../model/annotations.ts";
import { idOf, keyOf } from "../model/object.ts";
import type { InventoryEntry } from "../model/release.ts";
import type { MetadataEvent, MetadataQuery } from "../ports/kubernetes.ts";
import { significanceOf } from "./significance.ts";
import type { WatchSet } from "./watch-set.ts";

/** The objects of the deployments that are worked on here, and which watches tell of them. */
export interface InventoryWatch {
  /** What a deployment has in the cluster from now on. Resolves once all of it is watched. */
  set(deployment: string, inventory: readonly InventoryEntry[]): Promise<void>;
  remove(deployment: string): void;
  /** To be called with each event of these watches. */
  handle(query: MetadataQuery, event: MetadataEvent): void;
  /** To be called when one of them was opened again. */
  recheck(query: MetadataQuery): void;
  /** To be called when one of them is not allowed: a kind that may not be watched everywhere is watched in each namespace. */
  narrow(query: MetadataQuery): void;
  objects(): number;
}

export interface InventoryWatchOptions {
  readonly watches: WatchSet;
  /** Watch each kind in all namespaces at once, as far as that is allowed. */
  readonly everywhere: boolean;
  /** Told of the deployments whose object somebody may have changed. */
  onChanged(deployment: string): void;
}

export function createInventoryWatch(options: InventoryWatchOptions): InventoryWatch {
  const { watches } = options;
  const inventories = new Map<string, readonly InventoryEntry[]>();
  /** What was seen last of each object of ours, by its key; undefined for one that is absent or was never seen. */
  const objects = new Map<
    string,
    { readonly deployments: Set<string>; seen: string | undefined }
  >();
  const synced = new Set<string>();
  /** Kinds that are watched by namespace, as texts. */
  const narrowed = new Set<string>();
  /** Everything that is applied carries the label; somebody who removes it makes the object vanish from the watch, which is told. */
  const queryOf = ({ id, apiVersion }: InventoryEntry): MetadataQuery => {
    const isWide = options.everywhere && !narrowed.has(`${apiVersion} ${id.kind}`);
    const namespace = isWide || id.namespace === "" ? undefined : id.namespace;
    return { apiVersion, kind: id.kind, namespace, labelSelector: deploymentLabel };
  };

  function forget(deployment: string): void {
    for (const { id } of inventories.get(deployment) ?? []) {
      const known = objects.get(keyOf(id));
      known?.deployments.delete(deployment);
      if (known?.deployments.size === 0) objects.delete(keyOf(id));
    }
    inventories.delete(deployment);
  }

  function keepWatches(): void {
    const queries = [...inventories.values()].flat().map(queryOf);
    watches.keep(queries);
    const open = new Set(queries.map(textOf));
    for (const text of synced) if (!open.has(text)) synced.delete(text);
  }

  function recheck(query: MetadataQuery): void {
    for (const [deployment, inventory] of inventories) {
      const isIn = inventory.some((entry) => textOf(queryOf(entry)) === textOf(query));
      if (isIn) options.onChanged(deployment);
    }
  }

  return {
    async set(deployment, inventory) {
      const before = new Map([...objects].map(([key, { seen }]) => [key, seen]));
      forget(deployment);
      inventories.set(deployment, inventory);
      for (const { id } of inventory) {
        const key = keyOf(id);
        const known = objects.get(key) ?? { deployments: new Set(), seen: before.get(key) };
        known.deployments.add(deployment);
        objects.set(key, known);
      }
      keepWatches();
      await watches.synced(inventory.map(queryOf));
    },
    remove(deployment) {
      forget(deployment);
      keepWatches();
    },
    handle(query, event) {
      if (event.type === "SYNCED") {
        const isFirst = !synced.has(textOf(query));
        synced.add(textOf(query));
        // Looks have not waited for a watch that took the place of another one.
        if (isFirst && narrowed.has(kindOf(query))) recheck(query);
        return;
      }
      const known = objects.get(keyOf(idOf(event.object)));
      if (known === undefined) return;
      const now = event.type === "DELETED" ? undefined : significanceOf(event.object);
      const isNew = now !== known.seen;
      known.seen = now;
      // What a watch shows at first was read by nobody before: whoever asked for the watch reads it next.
      if (!isNew || !synced.has(textOf(query))) return;
      for (const deployment of known.deployments) options.onChanged(deployment);
    },
    recheck,
    narrow(query) {
      if (query.namespace !== undefined || narrowed.has(kindOf(query))) return;
      narrowed.add(kindOf(query));
      keepWatches();
    },
    objects: () => objects.size,
  };
}

function kindOf({ apiVersion, kind }: MetadataQuery): string {
  return `${apiVersion} ${kind}`;
}

function textOf(query: MetadataQuery): string {
  return JSON.stringify(query);
}
