import { idOf, type KubeObject, nameFromKey, nameOf, type ObjectId } from "../object.ts";
import type { Deletion } from "../plan/deletion.ts";
import { summarizeList } from "../text/suggest.ts";
import { isFinishedJob } from "./jobs.ts";
import { deletedWithOwner, indexByUid, rootOwner } from "./owned-objects.ts";
import { isBeingDeleted } from "./pending-deletion.ts";
import { blockingClaimName } from "./persistent-volume-claims.ts";
import {
  isFinishedPod,
  isPodReferenceKind,
  namesForPods,
  podReferences,
  podSpecOf,
} from "./pods.ts";

/*
 * Returns the reasons to keep an object that a plan deletes, because something still needs it
 * (docs/reference/deployment.md#deletion). A run passes fresh objects right before the deletion,
 * and a preview the objects that it predicts for that time. The sentences are the same.
 */

/** An object that Pods can use and that no longer exists after a deletion. */
export interface UsableObject {
  /** The namespace of its users; "" if they can be in any. */
  readonly namespace: string;
  /** `Kind name`. There are several if its controller creates other objects from it. */
  readonly names: readonly string[];
  /** Set if the deleted object owns it. */
  readonly product?: ObjectId | undefined;
}

/**
 * Returns the objects that Pods might still use when an object is deleted.
 * These are the object itself and the objects that the garbage collector deletes with it. A kept
 * revision also counts under the names of the objects that its controller creates from it.
 */
export function usableObjects({
  id,
  live,
  prunedRevision,
  products,
}: Deletion): readonly UsableObject[] {
  const own = prunedRevision === undefined && !isPodReferenceKind(id) ? [] : namesForPods(live);
  const owned = products?.objects.filter(isPodReferenceKind) ?? [];
  return [
    ...(own.length === 0 ? [] : [{ namespace: id.namespace, names: own.map(usedName) }]),
    ...owned.map((product) => ({
      ...{ namespace: product.namespace, names: [usedName(product)] },
      product,
    })),
  ];
}

function usedName({ kind, name }: Pick<ObjectId, "kind" | "name">): string {
  return `${kind} ${name}`;
}

/** Pods and objects that create Pods, with the objects that they use. */
export interface Workloads {
  /** The workloads, each with `Kind name` of everything that its Pod spec names. */
  readonly used: ReadonlyMap<KubeObject, ReadonlySet<string>>;
  readonly byUid: ReadonlyMap<string, KubeObject>;
}

/** Reads the references of each workload once. */
export function indexWorkloads(workloads: readonly KubeObject[]): Workloads {
  return {
    used: new Map(workloads.map((workload) => [workload, usedNames(workload)])),
    byUid: indexByUid(workloads),
  };
}

function usedNames(workload: KubeObject): ReadonlySet<string> {
  const spec = podSpecOf(workload)?.spec;
  const references = spec === undefined ? [] : podReferences(spec);
  return new Set(references.map(usedName));
}

/**
 * Reports whether a workload can start containers, for which it needs the objects that it names.
 * Finished Pods and Jobs don't start any.
 */
export function canStartContainers(workload: KubeObject): boolean {
  if (isBeingDeleted(workload) || isFinishedJob(workload)) return false;
  return !isPod(workload) || !isFinishedPod(workload);
}

/** The workloads that might use an object at the time of its deletion. */
export interface PossibleUsers {
  readonly live: Workloads;
  /**
   * Reports whether a live workload that uses the object matters at that time. `root` is its
   * topmost controller.
   */
  readonly remains: (user: KubeObject, root: KubeObject) => boolean;
  /** The workloads that this deployment declares, as they will be. */
  readonly planned?: Workloads;
}

/** Returns the reason to keep an object that workloads use; undefined if none does. */
export function usageReason(
  deletion: Deletion,
  usable: UsableObject,
  { live, remains, planned = noWorkloads }: PossibleUsers,
): string | undefined {
  const isDeleted = deletedWithOwner(deletion, [...live.used.keys()]);
  const users = findUsers(usable, live).filter(
    (user) => !isDeleted(user) && remains(user, rootOwner(user, live.byUid)),
  );
  const later = findUsers(usable, planned).filter((user) => !isDeleted(user));
  const [pods, others] = [users.filter(isPod), users.filter((user) => !isPod(user))];
  const names = [...pods, ...later, ...others].map((user) => nameOf(idOf(user)));
  if (names.length === 0) return undefined;
  const by = `still used by ${summarizeList([...new Set(names)], maxUsers)}`;
  const { product } = usable;
  return product === undefined ? by : `it owns ${nameOf(product)}, which is ${by}`;
}

/**
 * Returns the Pods that use an object, without those that the garbage collector deletes with it.
 */
export function podsUsing(
  deletion: Deletion,
  usable: UsableObject,
  pods: Workloads,
): readonly KubeObject[] {
  const isDeleted = deletedWithOwner(deletion, [...pods.used.keys()]);
  return findUsers(usable, pods).filter((pod) => !isDeleted(pod));
}

const noWorkloads = indexWorkloads([]);

const maxUsers = 3;

function findUsers({ namespace, names }: UsableObject, { used }: Workloads): readonly KubeObject[] {
  return [...used].flatMap(([workload, known]) => {
    const isInReach = namespace === "" || idOf(workload).namespace === namespace;
    return isInReach && names.some((name) => known.has(name)) ? [workload] : [];
  });
}

function isPod({ kind }: KubeObject): boolean {
  return kind === "Pod";
}

/** Returns the reason to keep an object if qvs can't list the workloads that might use it. */
export function unknownUseReason(why: string): string {
  return `qvs can't find out whether it is still used: ${why}`;
}

/** Returns the reason to keep an object whose deletion waits for the deletion of a kept one. */
export function keptDependentReason(
  { after }: Deletion,
  isKept: (key: string) => boolean,
): string | undefined {
  const dependent = after.find(({ on }) => isKept(on));
  return dependent && `${nameFromKey(dependent.on)} depends on it and is kept`;
}

/** Returns the reason to keep a volume that is bound to a claim. */
export function boundClaimReason(
  live: KubeObject,
  { after }: Pick<Deletion, "after">,
): string | undefined {
  const claim = blockingClaimName(live, after);
  return claim && `${claim} is bound to it`;
}
