import { deploymentLabel } from "../../model/annotations.ts";
import { filterDependents, garbageCollected } from "../../model/cluster/owned-objects.ts";
import {
  deletesOwnClaims,
  expectedClaims,
  isClaim,
  matchesClaimTemplate,
  mayDeleteClaims,
} from "../../model/cluster/persistent-volume-claims.ts";
import type { LiveObjects } from "../../model/deployments/release.ts";
import { at, listAt, textAt } from "../../model/json.ts";
import {
  groupOf,
  idOf,
  type KubeObject,
  keyOf,
  label,
  type ObjectId,
  uidOf,
} from "../../model/object.ts";
import type { AlsoDeleted, Deletion } from "../../model/plan/deletion.ts";
import { type Change, replacesPods } from "../../model/plan/plan.ts";
import { matchesDeploymentName } from "../../ssa/protection.ts";
import type { DryRunResults } from "../plan-input.ts";

/** Additional objects that show which objects Kubernetes deletes with others. */
export interface OwnedObjects {
  /** The metadata of PersistentVolumeClaims, and of objects between a claim and its owner. */
  readonly objects: readonly KubeObject[];
  /** The UIDs of existing owners that no other list contains. */
  readonly owners: ReadonlySet<string>;
  /** The reasons why qvs doesn't know the claims of a namespace. */
  readonly unread: ReadonlyMap<string, string>;
}

export const noOwnedObjects: OwnedObjects = { objects: [], owners: new Set(), unread: new Map() };

/** Lists the live objects that are recreated according to their dry runs. */
export function recreatedObjects(dryRuns: DryRunResults, live: LiveObjects): readonly KubeObject[] {
  return [...dryRuns].flatMap(([key, { steps }]) =>
    steps.some(({ type }) => type === "recreate") ? (live.get(key) ?? []) : [],
  );
}

interface AlsoDeletedInput {
  readonly live: LiveObjects;
  readonly owned: OwnedObjects;
  /** The keys of the objects that are declared or kept. */
  readonly remainingKeys: ReadonlySet<string>;
}

/** Adds the objects that the cluster deletes along with deleted or recreated objects. */
export function addAlsoDeleted(
  changes: readonly Change[],
  deletions: readonly Deletion[],
  { live, owned, remainingKeys }: AlsoDeletedInput,
): { readonly changes: readonly Change[]; readonly deletions: readonly Deletion[] } {
  const replaced = changes.flatMap((one) => (replacesPods(one) ? (one.live ?? []) : []));
  const removed = [...deletions.map((one) => one.live), ...replaced];
  if (removed.length === 0) return { changes, deletions };
  const known = [
    ...new Map([...owned.objects, ...live.values()].map((o) => [uidOf(o), o])).values(),
  ];
  const uids = new Set(removed.map(uidOf));
  const deletedAlong = garbageCollected(uids, known, owned.owners);
  const deleted = new Set(deletions.map(({ key }) => key));
  const findAlsoDeleted = (object: KubeObject): { readonly alsoDeleted?: AlsoDeleted } => {
    const byOwner = filterDependents(object, deletedAlong).filter(
      (one) => remainingKeys.has(keyOf(idOf(one))) || !isControllerManaged(one),
    );
    const ids = [...byOwner.map(idOf), ...claimsByPolicy(object, known, owned)];
    const objects = [...new Map(ids.map((id) => [keyOf(id), id])).entries()]
      .filter(([key]) => !deleted.has(key))
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, id]) => ({ key, id, deployment: owningDeployment(byOwner, key) }));
    const unread = mayDeleteClaims(object) ? owned.unread.get(idOf(object).namespace) : undefined;
    if (objects.length === 0 && unread === undefined) return {};
    return { alsoDeleted: { objects, ...(unread === undefined ? {} : { unread }) } };
  };
  return {
    changes: changes.map((one) =>
      replacesPods(one) && one.live !== undefined ? { ...one, ...findAlsoDeleted(one.live) } : one,
    ),
    deletions: deletions.map((one) => ({ ...one, ...findAlsoDeleted(one.live) })),
  };
}

/**
 * Lists the PersistentVolumeClaims that the object's retention policy deletes.
 * The controller makes the object their owner only a moment later, so their names count, too. If
 * qvs can't list the claims, it knows only those of the current Pods, by their names.
 */
function claimsByPolicy(
  object: KubeObject,
  known: readonly KubeObject[],
  { unread }: OwnedObjects,
): readonly ObjectId[] {
  if (!deletesOwnClaims(object)) return [];
  const { namespace } = idOf(object);
  if (unread.has(namespace)) return expectedClaims(object);
  return known.map(idOf).filter((id) => isClaim(id) && matchesClaimTemplate(id, object));
}

function owningDeployment(objects: readonly KubeObject[], key: string): string | undefined {
  const found = objects.find((object) => keyOf(idOf(object)) === key);
  const deployment = found && label(found, deploymentLabel);
  // Operators copy labels to the objects that they create, so the managers must match as well.
  return found && deployment !== undefined && matchesDeploymentName(found, deployment)
    ? deployment
    : undefined;
}

/**
 * Reports whether a built-in Kubernetes controller manages the object, as it does for Pods.
 * Users know that such objects are deleted with their owner.
 */
function isControllerManaged(object: KubeObject): boolean {
  const isVolumeClaim = isClaim(idOf(object));
  return listAt(object, "metadata", "ownerReferences").every((owner) => {
    const isController = at(owner, "controller") === true;
    // Ephemeral volumes of Pods are claims, too.
    if (isVolumeClaim && textAt(owner, "kind") !== "Pod") return false;
    return isController && controllerGroups.has(groupOf(textAt(owner, "apiVersion") ?? ""));
  });
}

const controllerGroups: ReadonlySet<string> = new Set(["", "apps", "batch"]);
