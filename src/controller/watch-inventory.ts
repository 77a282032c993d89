import { deploymentLabel } from "../model/annotations.ts";
import type { InventoryEntry } from "../model/deployments/release.ts";
import { at, type Json, listAt, numberAt, textAt } from "../model/json.ts";
import { idOf, type KubeObject, keyOf } from "../model/object.ts";
import type { MetadataEvent, MetadataQuery } from "../ports/kubernetes.ts";
import type { WatchSet } from "./watch-set.ts";

/** The objects of this replica's deployments, and the watches that report their changes. */
export interface InventoryWatch {
  /** Sets the objects of a deployment. Resolves after all of them are watched. */
  set(deployment: string, inventory: readonly InventoryEntry[]): Promise<void>;
  remove(deployment: string): void;
  /** Handles an event of these watches. */
  handle(query: MetadataQuery, event: MetadataEvent): void;
  /** Handles a reopened watch. */
  recheck(query: MetadataQuery): void;
  /**
   * Handles a denied watch. A kind that can't be watched in all namespaces is watched in each
   * namespace.
   */
  narrow(query: MetadataQuery): void;
  objects(): number;
}

export interface InventoryWatchOptions {
  readonly watches: WatchSet;
  /** True to watch each kind in all namespaces at once, if that is allowed. */
  readonly everywhere: boolean;
  /** Called for each deployment with an object that might have changed. */
  onChanged(deployment: string): void;
}

export function createInventoryWatch(options: InventoryWatchOptions): InventoryWatch {
  const { watches } = options;
  const inventories = new Map<string, readonly InventoryEntry[]>();
  /**
   * The last seen state of each object by its key; undefined if the object is absent or wasn't seen
   * yet.
   */
  const objects = new Map<
    string,
    { readonly deployments: Set<string>; seen: string | undefined }
  >();
  const synced = new Set<string>();
  /** The kinds that are watched by namespace, as strings. */
  const narrowed = new Set<string>();
  /**
   * Returns the watch for an object. Every applied object has the label.
   * If a user removes the label, the watch reports the object as deleted.
   */
  const entryQuery = ({ id, apiVersion }: InventoryEntry): MetadataQuery => {
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
    const queries = [...inventories.values()].flat().map(entryQuery);
    watches.keep(queries);
    const open = new Set(queries.map(queryKey));
    for (const text of synced) if (!open.has(text)) synced.delete(text);
  }

  function recheck(query: MetadataQuery): void {
    for (const [deployment, inventory] of inventories) {
      const isAffected = inventory.some((entry) => queryKey(entryQuery(entry)) === queryKey(query));
      if (isAffected) options.onChanged(deployment);
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
      await watches.synced(inventory.map(entryQuery));
    },
    remove(deployment) {
      forget(deployment);
      keepWatches();
    },
    handle(query, event) {
      if (event.type === "SYNCED") {
        const isFirst = !synced.has(queryKey(query));
        synced.add(queryKey(query));
        // Checks didn't wait for a watch that replaced another one, so its deployments need a new
        // check.
        if (isFirst && narrowed.has(kindKey(query))) recheck(query);
        return;
      }
      const known = objects.get(keyOf(idOf(event.object)));
      if (known === undefined) return;
      const now = event.type === "DELETED" ? undefined : changeFingerprint(event.object);
      const isNew = now !== known.seen;
      known.seen = now;
      // The initial objects of a watch aren't changes. The caller that requested the watch reads
      // them next.
      if (!isNew || !synced.has(queryKey(query))) return;
      for (const deployment of known.deployments) options.onChanged(deployment);
    },
    recheck,
    narrow(query) {
      if (query.namespace !== undefined || narrowed.has(kindKey(query))) return;
      narrowed.add(kindKey(query));
      keepWatches();
    },
    objects: () => objects.size,
  };
}

function kindKey({ apiVersion, kind }: MetadataQuery): string {
  return `${apiVersion} ${kind}`;
}

function queryKey(query: MetadataQuery): string {
  return JSON.stringify(query);
}

/**
 * Returns a part of the metadata that changes with every possible change of the deployed fields.
 * Two states with the same result differ at most in their status, which controllers write
 * continuously.
 *
 * - A kind that counts generations increases them with every change of a spec
 *   (https://kubernetes.io/docs/concepts/overview/working-with-objects/ and the API conventions,
 *   "Metadata").
 * - If a client wrote the status as a subresource, the managers and times of the other writes show
 *   a change. These times are in whole seconds. A second change within one second is read together
 *   with the first (see `settleMs`).
 * - In all other kinds, every resourceVersion counts.
 */
function changeFingerprint({ metadata }: KubeObject): string {
  const { labels, annotations, deletionTimestamp } = metadata;
  const common = { labels, annotations, deletionTimestamp };
  return JSON.stringify({ ...common, content: contentVersion(metadata) });
}

function contentVersion(metadata: KubeObject["metadata"]): Json | undefined {
  const generation = numberAt(metadata, "generation");
  if (generation !== undefined) return generation;
  const writers = listAt(metadata, "managedFields");
  const others = writers.filter((entry) => at(entry, "subresource") === undefined);
  return others.length < writers.length ? (others as Json) : textAt(metadata, "resourceVersion");
}
