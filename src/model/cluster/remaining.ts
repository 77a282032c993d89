import { listAt, textAt } from "../json.ts";
import { idOf, type KubeObject, nameOf } from "../object.ts";
import { listed } from "../text/closest.ts";
import { finalizersOfOthers } from "./finalizers.ts";

/** An object that still exists after a request to delete it. */
export interface RemainingObject {
  readonly finalizers: readonly string[];
  /** The server's own reason. */
  readonly heldBack?: string | undefined;
  /** The objects of the kind that a CustomResourceDefinition defines. */
  readonly instances?: readonly KubeObject[] | undefined;
  /**
   * The known objects that must be deleted first: its dependents, or the objects in a Namespace.
   */
  readonly blockers?: readonly Blocker[] | undefined;
  /** The reason why qvs couldn't read it. */
  readonly unreadable?: string;
}

/** An object that delays the deletion of another one and waits for no object itself. */
export interface Blocker {
  readonly object: KubeObject;
  /** The owner between the two, such as the ReplicaSet of a Pod. */
  readonly owner?: KubeObject | undefined;
}

export function isBeingDeleted(object: KubeObject): boolean {
  return textAt(object, "metadata", "deletionTimestamp") !== undefined;
}

export function finalizersOf(object: KubeObject): readonly string[] {
  return listAt(object, "metadata", "finalizers").filter((name) => typeof name === "string");
}

/**
 * The finalizer of the garbage collector.
 * It is removed when no object remains that names this one as its owner and blocks its deletion.
 */
export const ofOwned = "foregroundDeletion";

/** Describes what a deletion waits for. */
export function remainingText(left: RemainingObject): string {
  const { finalizers, heldBack, unreadable, instances } = left;
  if (unreadable !== undefined) return `it can't be read: ${unreadable}`;
  if (instances !== undefined) return instancesText(instances);
  const blockers = blockersText(left);
  if (heldBack !== undefined) return [heldBack, ...blockers].join("; it waits for ");
  const controllers = finalizers.filter((name) => name !== ofOwned);
  const held =
    controllers.length > 0 ? [`it waits for the finalizers ${controllers.join(", ")}`] : [];
  const owned = blockers.length > 0 ? [`${dependentsRemain}: ${blockers.join("")}`] : [];
  if (held.length + owned.length > 0) return [...held, ...owned].join("; ");
  return finalizers.length === 0 ? "it still exists" : dependentsRemain;
}

const dependentsRemain = "its dependent objects are still being deleted";

/**
 * Names the objects that must be deleted first, as one string. The list is empty if none is known.
 */
export function blockersText({
  blockers = [],
}: Pick<RemainingObject, "blockers">): readonly string[] {
  if (blockers.length === 0) return [];
  const texts = blockers.map(({ object, owner }) => {
    const of = owner === undefined ? "" : ` of ${nameOf(idOf(owner))}`;
    return `${nameOf(idOf(object))}${of}${heldText(object)}`;
  });
  return [listed(texts.toSorted(), mostNamed)];
}

const mostNamed = 3;

/**
 * Returns
 * `2 objects of its kind still exist: Backup shop/a (finalizers example.com/hold), Backup shop/b`.
 */
function instancesText(instances: readonly KubeObject[]): string {
  const texts = instances.map((object) => `${nameOf(idOf(object))}${heldText(object)}`);
  const count =
    texts.length === 1
      ? "1 object of its kind still exists"
      : `${texts.length} objects of its kind still exist`;
  return `${count}: ${listed(texts.toSorted(), mostNamed)}`;
}

/** Returns ` (terminating since 2026-11-19T09:30:00Z, finalizers example.com/hold)`. */
function heldText(object: KubeObject): string {
  const since = textAt(object, "metadata", "deletionTimestamp");
  const finalizers = finalizersOf(object).filter((name) => name !== ofOwned);
  const facts = [
    ...(since === undefined ? [] : [`terminating since ${since}`]),
    ...(finalizers.length === 0 ? [] : [`finalizers ${finalizers.join(", ")}`]),
  ];
  return facts.length === 0 ? "" : ` (${facts.join(", ")})`;
}

/**
 * Reports whether finalizers remain that no controller of Kubernetes itself removes.
 * Kubernetes removes its own finalizers soon.
 */
export function isHeld({ finalizers, blockers = [], instances = [] }: RemainingObject): boolean {
  const own = { metadata: { finalizers } } as unknown as KubeObject;
  const all = [own, ...blockers.map(({ object }) => object), ...instances];
  return all.some((object) => finalizersOfOthers(object).length > 0);
}

/**
 * Finalizers of Kubernetes itself that no operator removes, with the action that ends each of them.
 */
const endings: ReadonlyMap<string, string> = new Map([
  [
    ofOwned,
    "Find the objects that name it in metadata.ownerReferences, and the cause that blocks their deletion",
  ],
  ["kubernetes.io/pvc-protection", "Delete the Pods that still use the PersistentVolumeClaim"],
  ["kubernetes.io/pv-protection", "Delete the PersistentVolumeClaim that is bound to the volume"],
  [
    "service.kubernetes.io/load-balancer-cleanup",
    "Check that the load balancer controller is running: it removes the finalizer after it deletes the load balancer",
  ],
]);

const byControllers =
  "Check that the controller of each finalizer is running and can do its work. If it no longer exists, remove its finalizer";

/** Returns the action that lets the deletion continue. */
export function remainingFix(left: RemainingObject): string {
  const { finalizers, heldBack, instances = [] } = left;
  if (isHeld(left)) return byControllers;
  if (instances.length > 0) return "Find out what blocks the deletion of these objects";
  if (heldBack !== undefined) {
    return /finalizer/i.test(heldBack)
      ? byControllers
      : "Fix the cause that the API server reports";
  }
  if (finalizers.length === 0) return "Find out what blocks its deletion";
  const known = finalizers.flatMap((name) => endings.get(name) ?? []);
  return known.length === finalizers.length ? known.join("; ") : byControllers;
}
