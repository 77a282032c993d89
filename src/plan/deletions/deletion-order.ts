import {
  type DeletedContents,
  isDeletedWith,
  isNamespaceOrCrd,
  type NamespaceOrCrd,
} from "../../model/cluster/namespaces-and-crds.ts";
import type { Products } from "../../model/cluster/owned-objects.ts";
import { customFinalizers } from "../../model/cluster/pending-deletion.ts";
import { boundClaim, claimDeletionKeys } from "../../model/cluster/persistent-volume-claims.ts";
import { podReferences, podSpecOf } from "../../model/cluster/pods.ts";
import type { InventoryEntry } from "../../model/deployments/release.ts";
import { type KubeObject, keyOf } from "../../model/object.ts";
import type { Deletion, PrunedRevision } from "../../model/plan/deletion.ts";
import type { Stage } from "../../model/sources/compilation.ts";
import { pullSecrets } from "../order/named-edges.ts";
import { buildGraph, type Link, orderObjects } from "../order/order.ts";

/** A live object of the inventory that is no longer declared. */
export interface Orphan {
  readonly key: string;
  readonly entry: InventoryEntry;
  readonly live: KubeObject;
  readonly uid: string;
  readonly prunedRevision?: PrunedRevision;
  readonly products?: Products | undefined;
}

/** The objects of other owners in each Namespace or CustomResourceDefinition, by its key. */
export type HoldingsByKey = ReadonlyMap<string, DeletedContents>;

/**
 * Sorts the deletions: dependents first by their recorded edges, and app before appSetup.
 * Edges of different releases can contradict each other. Edges that would close a cycle are left
 * out, the last ones first.
 * An object in a Namespace or of a CRD is deleted before it, whatever the releases recorded. qvs
 * reads each object before it deletes it, and might have to keep it.
 */
export function sortDeletions(
  orphans: readonly Orphan[],
  holdings: HoldingsByKey = new Map(),
): readonly Deletion[] {
  const holders = orphans.filter(({ entry }) => isNamespaceOrCrd(entry.id));
  const stageByKey = new Map(orphans.map((orphan) => [orphan.key, deletionStage(holders, orphan)]));
  const recorded = orphans.flatMap(({ key, entry }) =>
    entry.after.map(({ on, reason }) => ({
      from: on,
      on: key,
      reason: `it depends on this: ${reason}`,
    })),
  );
  const links: readonly Link[] = holders
    .flatMap((holder) => contentLinks(holder, orphans))
    .concat(
      recorded,
      podLinks(orphans),
      lastRevisionLinks(orphans),
      serviceAccountLinks(orphans),
      productLinks(orphans),
      finalizerLinks(orphans),
      volumeLinks(orphans),
    )
    .filter((link) => !isIgnoredLink(link, stageByKey));
  const graph = buildGraph([], links);
  const deletions = orphans.map(({ key, entry, live, uid, prunedRevision, products }) => ({
    key,
    id: entry.id,
    stage: stageByKey.get(key) ?? entry.stage,
    apiVersion: live.apiVersion,
    uid,
    live,
    after: graph.get(key) ?? [],
    ...(prunedRevision === undefined ? {} : { prunedRevision }),
    ...(products === undefined ? {} : { products }),
    ...(holdings.has(key) ? { contents: holdings.get(key) } : {}),
  }));
  // orderObjects puts appSetup first. Deletions run in reverse order, so the stages are swapped.
  const swapped = deletions.map((deletion) => ({
    key: deletion.key,
    stage: (deletion.stage === "app" ? "appSetup" : "app") as Stage,
    deletion,
  }));
  const order = orderObjects(swapped, graph);
  return order.ok ? order.value.map(({ deletion }) => deletion) : deletions;
}

/**
 * Links Pod templates to the objects that they use, which are deleted after them.
 * A release records no edge to an object that it only keeps because it was still used.
 */
function podLinks(orphans: readonly Orphan[]): readonly Link[] {
  return orphans.flatMap(({ key, entry: { id }, live }) => {
    const pods = podSpecOf(live);
    return (pods === undefined ? [] : podReferences(pods.spec)).map(({ kind, name }) => ({
      from: keyOf({ group: "", kind, namespace: id.namespace, name }),
      on: key,
      reason: `it depends on this: its Pods use this ${kind}`,
    }));
  });
}

/**
 * Links ServiceAccounts to their pull secrets.
 * The API server adds these to Pods, whatever their template contains, and qvs keeps objects that
 * Pods name. Not every release recorded this edge.
 */
function serviceAccountLinks(orphans: readonly Orphan[]): readonly Link[] {
  return orphans.flatMap(({ key, entry: { id }, live }) =>
    pullSecrets({ id, object: live }).map((secret) => ({
      from: keyOf(secret.id),
      on: key,
      reason: "its Pods use this",
    })),
  );
}

/**
 * Links Pods to the owners of the objects that they use.
 * Releases record no edge for third-party kinds.
 */
function productLinks(orphans: readonly Orphan[]): readonly Link[] {
  const owners = orphans.flatMap(({ key: from, products }) =>
    (products?.objects ?? []).map((product) => ({ from, product: keyOf(product) })),
  );
  const byProduct = Map.groupBy(owners, ({ product }) => product);
  if (byProduct.size === 0) return [];
  return orphans.flatMap(({ key: on, entry: { id }, live }) => {
    const pods = podSpecOf(live);
    const named = pods === undefined ? [] : podReferences(pods.spec);
    return named.flatMap(({ kind, name }) => {
      const product = keyOf({ group: "", kind, namespace: id.namespace, name });
      return (byProduct.get(product) ?? []).map(({ from }) => ({
        ...{ from, on, reason: `its Pods use the ${kind} ${name}, which this owns` },
      }));
    });
  });
}

/**
 * Links possible users to all revisions of a key, if none of them stays.
 * The recorded edges lead only to the revision that was declared last.
 */
function lastRevisionLinks(orphans: readonly Orphan[]): readonly Link[] {
  const users = orphans.filter(
    ({ live, prunedRevision }) => !prunedRevision && podSpecOf(live) !== undefined,
  );
  return orphans
    .filter(({ prunedRevision }) => prunedRevision?.isLast === true)
    .flatMap(({ key, entry }) =>
      users
        .filter((user) => user.entry.id.namespace === entry.id.namespace)
        .map((user) => ({ from: key, on: user.key, reason: "its Pods might use this" })),
    );
}

/**
 * Links objects with finalizers to the workloads that might have to remove them.
 * For example, a custom resource is deleted before the Pods of its operator.
 */
function finalizerLinks(orphans: readonly Orphan[]): readonly Link[] {
  const held = orphans.filter(({ live }) => customFinalizers(live).length > 0);
  const makers = orphans.filter(({ live }) => podSpecOf(live) !== undefined);
  return makers.flatMap((maker) =>
    held
      .filter(({ key }) => key !== maker.key)
      .map(({ key: on }) => ({
        ...{ from: maker.key, on },
        reason: "it has finalizers that this might have to remove",
      })),
  );
}

/**
 * Links PersistentVolumeClaims to their volumes.
 * A volume stays until its claim is deleted, and no other edge waits for that.
 */
function volumeLinks(orphans: readonly Orphan[]): readonly Link[] {
  return orphans.flatMap(({ key, live }) => {
    const claim = boundClaim(live);
    const before = claim === undefined ? [] : claimDeletionKeys(claim);
    return before.map((on) => ({
      from: key,
      on,
      reason: "a PersistentVolumeClaim is bound to this",
    }));
  });
}

/**
 * Returns the stage in which an object is deleted.
 * The objects of app are deleted first. An object that is deleted with one of them can't wait for
 * appSetup.
 */
function deletionStage(holders: readonly Orphan[], { entry }: Orphan): Stage {
  const isDeletedEarly = holders.some(
    (one) => one.entry.stage === "app" && isDeletedWith(entry.id, toHolder(one)),
  );
  return isDeletedEarly ? "app" : entry.stage;
}

export function toHolder({ entry: { id }, live }: Orphan): NamespaceOrCrd {
  return { id, live };
}

function contentLinks(holder: Orphan, orphans: readonly Orphan[]): readonly Link[] {
  return orphans
    .filter(({ entry }) => isDeletedWith(entry.id, toHolder(holder)))
    .map(({ key }) => ({ from: holder.key, on: key, reason: "it would be deleted with this" }));
}

/**
 * Reports whether a link must be ignored.
 * Objects wait only for other deleted objects, and objects of app never wait for appSetup.
 */
function isIgnoredLink({ from, on }: Link, stageByKey: ReadonlyMap<string, Stage>): boolean {
  if (!stageByKey.has(from) || !stageByKey.has(on)) return true;
  return stageByKey.get(from) === "app" && stageByKey.get(on) === "appSetup";
}
