import type { LimitFunction } from "p-limit";
import { isBuiltInGroup } from "../../model/cluster/built-in-groups.ts";
import { deletionBlockReason } from "../../model/cluster/deletion-block-reason.ts";
import { filterDependents, ownerUids } from "../../model/cluster/garbage-collected.ts";
import { isNamespace } from "../../model/cluster/namespaces-and-crds.ts";
import {
  type Blocker,
  foregroundFinalizer,
  listFinalizers,
} from "../../model/cluster/pending-deletion.ts";
import { productKinds } from "../../model/cluster/products.ts";
import { at, listAt } from "../../model/json.ts";
import {
  formatApiVersion,
  idOf,
  type KubeObject,
  type ObjectId,
  uidOf,
} from "../../model/object.ts";
import type { Cluster } from "../../ports/kubernetes.ts";
import { workloadKinds } from "./read-workloads.ts";

type Kind = readonly [apiVersion: string, kind: string];

interface LimitedCluster {
  readonly cluster: Cluster;
  readonly limit: LimitFunction;
}

/**
 * Returns the objects that must disappear before an object that is being deleted.
 * They are its owned objects, or the content of a Namespace. qvs lists only their metadata. It
 * leaves out kinds that it can't list.
 */
export async function readBlockers(
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
export function blockingKinds({ group, kind }: Pick<ObjectId, "group" | "kind">): readonly Kind[] {
  return isBuiltInGroup(group)
    ? (ownedKinds.get(`${group}/${kind}`) ?? [])
    : [...productKinds, ...workloadKinds];
}

const pod: Kind = ["v1", "Pod"];

const ownedKinds: ReadonlyMap<string, readonly Kind[]> = new Map([
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
async function remainingKinds(live: KubeObject, cluster: Cluster): Promise<readonly Kind[]> {
  const words = (deletionBlockReason(live) ?? "").split(/[\s,;]/);
  const named = new Set(words.filter((_, index) => words[index + 1] === "has"));
  const kinds = await cluster.kinds();
  if (!kinds.ok) return [];
  return [...named].flatMap((resource): readonly Kind[] => {
    const info = kinds.value.find(({ plural, group }) => `${plural}.${group}` === resource);
    return info === undefined ? [] : [[formatApiVersion(info), info.kind]];
  });
}

async function listAll(
  kinds: readonly Kind[],
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
