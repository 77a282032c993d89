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
  if (unreadable !== undefined) return `it can't be looked at: ${unreadable}`;
  if (instances !== undefined) return instancesText(instances);
  const blockers = blockersText(left);
  if (heldBack !== undefined) return [heldBack, ...blockers].join("; it waits for ");
  const controllers = finalizers.filter((name) => name !== ofOwned);
  const held = controllers.length > 0 ? [`held by the finalizers ${controllers.join(", ")}`] : [];
  const owned =
    blockers.length > 0 ? [`what it owns is still being deleted: ${blockers.join("")}`] : [];
  if (held.length + owned.length > 0) return [...held, ...owned].join("; ");
  return finalizers.length === 0 ? "it is still there" : "what it owns is still being deleted";
}

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
 * `2 objects of its kind remain: Backup shop/a (finalizers example.com/hold), Backup shop/b`.
 */
function instancesText(instances: readonly KubeObject[]): string {
  const texts = instances.map((object) => `${nameOf(idOf(object))}${heldText(object)}`);
  const count =
    texts.length === 1
      ? "1 object of its kind remains"
      : `${texts.length} objects of its kind remain`;
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
    "Find the objects that name it in metadata.ownerReferences and what keeps them from being deleted",
  ],
  ["kubernetes.io/pvc-protection", "Delete the Pods that still use the claim"],
  ["kubernetes.io/pv-protection", "Delete the claim that is bound to the volume"],
  [
    "service.kubernetes.io/load-balancer-cleanup",
    "Check that the controller of the load balancer runs: it removes the finalizer once it has deleted the load balancer",
  ],
]);

const byControllers =
  "Check that the controller of each finalizer runs and can do its work; if it no longer exists, remove its finalizer";

/** Returns the action that lets the deletion continue. */
export function remainingFix(left: RemainingObject): string {
  const { finalizers, heldBack, instances = [] } = left;
  if (isHeld(left)) return byControllers;
  if (instances.length > 0) return "Check what keeps these objects from being deleted";
  if (heldBack !== undefined) {
    return /finalizer/i.test(heldBack) ? byControllers : "Correct what the API server says";
  }
  if (finalizers.length === 0) return "Check what keeps it from being deleted";
  const known = finalizers.flatMap((name) => endings.get(name) ?? []);
  return known.length === finalizers.length ? known.join("; ") : byControllers;
}
