import { listAt, textAt } from "../json.ts";
import { idOf, type KubeObject, nameOf } from "../object.ts";
import { listed } from "../text/closest.ts";
import { finalizersOfOthers } from "./finalizers.ts";

/** Describes an object whose deletion was requested and that still exists. */
export interface RemainingObject {
  readonly finalizers: readonly string[];
  /** What the server itself says of it. */
  readonly heldBack?: string | undefined;
  /** The objects of the kind that it defines. */
  readonly instances?: readonly KubeObject[] | undefined;
  /** The objects that are deleted before it, as far as they are known: those that it owns, or those in a Namespace. */
  readonly blockers?: readonly Blocker[] | undefined;
  /** Why it could not be read. */
  readonly unreadable?: string;
}

/** An object that another one waits for, and that waits for none itself. */
export interface Blocker {
  readonly object: KubeObject;
  /** What owns it between the two, such as the ReplicaSet of a Pod. */
  readonly owner?: KubeObject | undefined;
}

export function isBeingDeleted(object: KubeObject): boolean {
  return textAt(object, "metadata", "deletionTimestamp") !== undefined;
}

export function finalizersOf(object: KubeObject): readonly string[] {
  return listAt(object, "metadata", "finalizers").filter((name) => typeof name === "string");
}

/** The garbage collector's own: it goes once everything that names the object as its owner, and blocks its deletion, is gone. */
export const ofOwned = "foregroundDeletion";

/** Says what a deletion waits for. */
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

/** Names the objects that are deleted before it, as one text; none where none are known. */
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

/** `2 objects of its kind remain: Backup shop/a (finalizers example.com/hold), Backup shop/b`. */
function instancesText(instances: readonly KubeObject[]): string {
  const texts = instances.map((object) => `${nameOf(idOf(object))}${heldText(object)}`);
  const count =
    texts.length === 1
      ? "1 object of its kind remains"
      : `${texts.length} objects of its kind remain`;
  return `${count}: ${listed(texts.toSorted(), mostNamed)}`;
}

/** ` (terminating since 2026-11-19T09:30:00Z, finalizers example.com/hold)`. */
function heldText(object: KubeObject): string {
  const since = textAt(object, "metadata", "deletionTimestamp");
  const finalizers = finalizersOf(object).filter((name) => name !== ofOwned);
  const facts = [
    ...(since === undefined ? [] : [`terminating since ${since}`]),
    ...(finalizers.length === 0 ? [] : [`finalizers ${finalizers.join(", ")}`]),
  ];
  return facts.length === 0 ? "" : ` (${facts.join(", ")})`;
}

/** Reports whether finalizers hold it that no controller of the cluster itself removes: others are gone soon. */
export function isHeld({ finalizers, blockers = [], instances = [] }: RemainingObject): boolean {
  const own = { metadata: { finalizers } } as unknown as KubeObject;
  const all = [own, ...blockers.map(({ object }) => object), ...instances];
  return all.some((object) => finalizersOfOthers(object).length > 0);
}

/** Finalizers of Kubernetes itself, which no controller of an operator removes, and how they end. */
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

/** Says how the deletion gets on. */
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
