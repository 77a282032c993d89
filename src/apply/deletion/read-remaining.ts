import type { LimitFunction } from "p-limit";
import { isBuiltInGroup } from "../../model/cluster/api/built-in-groups.ts";
import { isCrd, isNamespace } from "../../model/cluster/namespaces-and-crds.ts";
import { filterDependents, ownerUids, productKinds } from "../../model/cluster/owned-objects.ts";
import {
  type Blocker,
  deletionBlockReason,
  describePendingDeletion,
  foregroundFinalizer,
  listFinalizers,
  type PendingDeletion,
  pendingDeletionFix,
} from "../../model/cluster/pending-deletion.ts";
import { at, listAt } from "../../model/json.ts";
import { type GroupKind, type KindRef, kindKey, workloadKinds } from "../../model/kinds.ts";
import {
  formatApiVersion,
  groupOf,
  idOf,
  type KubeObject,
  type ObjectAddress,
  uidOf,
} from "../../model/object.ts";
import type { Cluster } from "../../ports/kubernetes.ts";
import type { FailureExplanation } from "../failure/explain-failure.ts";
import { customResourceQueries } from "./read-dependents.ts";

interface LimitedCluster {
  readonly cluster: Cluster;
  readonly limit: LimitFunction;
}

/**
 * Returns the objects that must disappear before an object that is being deleted.
 * They are its owned objects, or the content of a Namespace. qvs lists only their metadata. It
 * leaves out kinds that it can't list.
 */
async function readBlockers(
  live: KubeObject,
  context: LimitedCluster,
): Promise<readonly Blocker[]> {
  const id = idOf(live);
  if (isNamespace(id)) return namespaceContent(live, context);
  if (!listFinalizers(live).includes(foregroundFinalizer) || id.namespace === "") return [];
  const found = await listAll(blockingKinds(id), id.namespace, context);
  return leafDependents(live, found.filter(blocksOwner));
}

/**
 * Returns the kinds that can block the deletion of an object of this kind.
 * For a custom resource, they are the kinds that operators create.
 */
export function blockingKinds(id: GroupKind): readonly KindRef[] {
  return isBuiltInGroup(id.group)
    ? (ownedKinds.get(kindKey(id)) ?? [])
    : [...productKinds, ...workloadKinds];
}

const pod: KindRef = ["v1", "Pod"];

const ownedKinds: ReadonlyMap<string, readonly KindRef[]> = new Map([
  ["apps/Deployment", [["apps/v1", "ReplicaSet"], pod]],
  ["apps/StatefulSet", [pod, ["v1", "PersistentVolumeClaim"]]],
  ["apps/DaemonSet", [pod]],
  ["apps/ReplicaSet", [pod]],
  ["/ReplicationController", [pod]],
  ["batch/Job", [pod]],
  ["batch/CronJob", [["batch/v1", "Job"], pod]],
]);

/**
 * Reports whether an object blocks the deletion of its owner.
 * The garbage collector waits for no other objects
 * (https://kubernetes.io/docs/concepts/architecture/garbage-collection/#foreground-deletion).
 */
function blocksOwner(object: KubeObject): boolean {
  const owners = listAt(object, "metadata", "ownerReferences");
  return owners.some((owner) => at(owner, "blockOwnerDeletion") === true);
}

/** Returns the last object of each chain of owners, with its direct owner. */
function leafDependents(live: KubeObject, objects: readonly KubeObject[]): readonly Blocker[] {
  const reached = filterDependents(live, objects);
  const owners = new Set(reached.flatMap(ownerUids));
  const known = new Map(reached.map((object) => [uidOf(object), object]));
  return reached
    .filter((object) => !owners.has(uidOf(object)))
    .map((object) => {
      const owner = ownerUids(object).map((uid) => known.get(uid));
      return { object, owner: owner.find((each) => each !== undefined) };
    });
}

/**
 * Returns the objects left in a Namespace.
 * If any of them have finalizers, it returns only those.
 */
async function namespaceContent(
  live: KubeObject,
  context: LimitedCluster,
): Promise<readonly Blocker[]> {
  const kinds = await remainingKinds(live, context.cluster);
  const objects = await listAll(kinds, idOf(live).name, context);
  const withFinalizers = objects.filter((object) => listFinalizers(object).length > 0);
  return (withFinalizers.length > 0 ? withFinalizers : objects).map((object) => ({ object }));
}

/**
 * Parses the kinds from the message of the namespace controller.
 * Example: `configmaps. has 1 resource instances, deployments.apps has 2 resource instances`
 */
async function remainingKinds(live: KubeObject, cluster: Cluster): Promise<readonly KindRef[]> {
  const words = (deletionBlockReason(live) ?? "").split(/[\s,;]/);
  const named = new Set(words.filter((_, index) => words[index + 1] === "has"));
  const kinds = await cluster.kinds();
  if (!kinds.ok) return [];
  return [...named].flatMap((resource): readonly KindRef[] => {
    const info = kinds.value.find(({ plural, group }) => `${plural}.${group}` === resource);
    return info === undefined ? [] : [[formatApiVersion(info), info.kind]];
  });
}

async function listAll(
  kinds: readonly KindRef[],
  namespace: string,
  { cluster, limit }: LimitedCluster,
): Promise<readonly KubeObject[]> {
  const answers = await Promise.all(
    kinds.map(([apiVersion, kind]) =>
      limit(() => cluster.listMetadata(apiVersion, kind, namespace)),
    ),
  );
  return answers.flatMap((answer) => (answer.ok ? answer.value.items : []));
}

interface BoundedCluster {
  readonly cluster: Cluster;
  readonly limit: LimitFunction;
}

/** An object that still exists, as last read. `live` is undefined if qvs can't read it. */
export interface RemainingRead extends PendingDeletion {
  readonly live?: KubeObject | undefined;
}

/** Reads the remains of the object with this UID. Returns undefined if it no longer exists. */
export async function readRemaining(
  address: ObjectAddress,
  uid: string,
  context: BoundedCluster,
): Promise<RemainingRead | undefined> {
  const answer = await context.limit(() => context.cluster.read(address));
  // If a kind no longer exists, for example after the deletion of its CRD, its objects don't
  // either.
  if (!answer.ok) {
    const { reason, message } = answer.failure;
    const absent = reason === "unknown-kind" || reason === "not-found";
    return absent ? undefined : { finalizers: [], unreadable: message };
  }
  const live = answer.value;
  return live === undefined || uidOf(live) !== uid ? undefined : toRemaining(live, context);
}

async function toRemaining(live: KubeObject, context: BoundedCluster): Promise<RemainingRead> {
  const instances = await remainingInstances(live, context);
  return {
    live,
    finalizers: listFinalizers(live),
    blockReason: deletionBlockReason(live),
    instances,
  };
}

/** Adds the objects that must be deleted first, which takes several LIST requests. */
export async function withBlockers(
  left: RemainingRead,
  context: BoundedCluster,
): Promise<RemainingRead> {
  const blockers = left.live && (await readBlockers(left.live, context));
  return { ...left, blockers };
}

/** Describes an object that is being deleted, with its blockers. */
export async function describeRemaining(
  live: KubeObject,
  context: BoundedCluster,
): Promise<PendingDeletion> {
  return withBlockers(await toRemaining(live, context), context);
}

/** Lists the objects that block the deletion of their definition. Undefined if none are known. */
async function remainingInstances(
  live: KubeObject,
  { cluster, limit }: BoundedCluster,
): Promise<readonly KubeObject[] | undefined> {
  if (!isCrd({ group: groupOf(live.apiVersion), kind: live.kind })) return undefined;
  const [list] = customResourceQueries(live);
  if (list === undefined) return undefined;
  const answer = await limit(() => cluster.listMetadata(list.apiVersion, list.kind, undefined));
  return answer.ok && answer.value.items.length > 0 ? answer.value.items : undefined;
}

export function explainDeletionTimeout(
  left: PendingDeletion,
  timeoutMs: number,
  /** The time, in ms, without progress, if that ended the wait. */
  stuckMs?: number,
): FailureExplanation {
  const seconds = Math.round((stuckMs ?? timeoutMs) / 1000);
  if (left.unreadable !== undefined) {
    return {
      code: "deletion-timeout",
      what: `its deletion was requested, but not confirmed within ${seconds} s`,
      facts: [{ label: "answer", value: left.unreadable }],
      fix: "Restore access to the API server, then run again",
    };
  }
  return {
    code: "deletion-timeout",
    what:
      stuckMs === undefined
        ? `not deleted after ${seconds} s`
        : `no progress of its deletion for ${seconds} s`,
    facts: [{ label: "status", value: describePendingDeletion(left) }],
    fix: `${pendingDeletionFix(left)}, then run again`,
  };
}
