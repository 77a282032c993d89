import pLimit, { type LimitFunction } from "p-limit";
import { readWorkloadsWithHistory } from "../../apply/deletion/read-workloads.ts";
import type { ApiResult } from "../../model/cluster/api/api-failure.ts";
import { isCustomGroup } from "../../model/cluster/api/built-in-groups.ts";
import { ownerUids } from "../../model/cluster/owned-objects.ts";
import { mayDeleteClaims } from "../../model/cluster/persistent-volume-claims.ts";
import type { LiveObjects } from "../../model/deployments/release.ts";
import { type Json, listAt, textAt } from "../../model/json.ts";
import { groupOf, idOf, type KubeObject, uidOf } from "../../model/object.ts";
import { noOwnedObjects, type OwnedObjects } from "../../plan/deletions/also-deleted.ts";
import type { WorkloadsByNamespace } from "../../plan/deletions/kept-objects.ts";
import type { Cluster } from "../../ports/kubernetes.ts";

/**
 * Lists the workloads that might still use kept objects, by namespace.
 * If qvs can't list them, it makes a plan anyway, and deletes nothing that might be in use.
 */
export async function listWorkloads(
  cluster: Cluster,
  namespaces: readonly string[],
  concurrency: number,
): Promise<WorkloadsByNamespace> {
  const limit = pLimit(concurrency);
  const read = namespaces.map(
    async (namespace): Promise<[string, readonly KubeObject[] | string]> => {
      const answer = await readWorkloadsWithHistory(cluster, limit, namespace);
      return [namespace, answer.ok ? answer.value : answer.failure.message];
    },
  );
  return new Map(await Promise.all(read));
}

/**
 * Reads the objects that are deleted together with deleted or recreated objects.
 * These are claims in the same namespaces that the removed objects might own. It also reads whether
 * such objects have other live owners. The result lists the namespaces that qvs can't read; an
 * owner that it can't read counts as gone.
 */
export async function readOwned(
  cluster: Cluster,
  removed: readonly KubeObject[],
  live: LiveObjects,
  concurrency: number,
): Promise<OwnedObjects> {
  if (removed.length === 0) return noOwnedObjects;
  const limit = pLimit(concurrency);
  const namespaces = Map.groupBy(
    removed.filter(mayDeleteClaims),
    (object) => idOf(object).namespace,
  );
  const read = await Promise.all(
    [...namespaces].map(async ([namespace, objects]) => {
      const answers = await Promise.all(
        ownedKinds(objects).map(([apiVersion, kind]) =>
          limit(() => cluster.listMetadata(apiVersion, kind, namespace || undefined)),
        ),
      );
      return { namespace, answers };
    }),
  );
  const objects = read.flatMap(({ answers }) =>
    answers.flatMap((answer) => (answer.ok ? answer.value.items : [])),
  );
  const unread = read.flatMap(({ namespace, answers }) => {
    const why = readFailure(answers);
    return why === undefined ? [] : [[namespace, why] as const];
  });
  const owners = await readLiveOwners(cluster, limit, removed, [...live.values(), ...objects]);
  return { objects, owners, unread: new Map(unread) };
}

/**
 * Lists the kinds to read.
 * Controllers of custom resources create claims themselves, or through a StatefulSet.
 */
function ownedKinds(objects: readonly KubeObject[]): readonly (readonly [string, string])[] {
  const claims = ["v1", "PersistentVolumeClaim"] as const;
  return objects.some(({ apiVersion }) => isCustomGroup(groupOf(apiVersion)))
    ? [claims, ["apps/v1", "StatefulSet"]]
    : [claims];
}

function readFailure(answers: readonly ApiResult<unknown>[]): string | undefined {
  return answers.flatMap((answer) => (answer.ok ? [] : [answer.failure.message]))[0];
}

/**
 * Returns the uids of live objects that share an owned object with a removed one and are in no
 * list.
 */
async function readLiveOwners(
  cluster: Cluster,
  limit: LimitFunction,
  removed: readonly KubeObject[],
  known: readonly KubeObject[],
): Promise<ReadonlySet<string>> {
  const removedUids = new Set(removed.map(uidOf));
  const knownUids = new Set(known.map(uidOf));
  const shared = known.filter((object) => ownerUids(object).some((uid) => removedUids.has(uid)));
  const unknownOwners = new Map(
    shared.flatMap((object) =>
      listAt(object, "metadata", "ownerReferences").flatMap((owner) => {
        const uid = textAt(owner, "uid") ?? "";
        return removedUids.has(uid) || knownUids.has(uid)
          ? []
          : [[uid, { owner, object }] as const];
      }),
    ),
  );
  const found = await Promise.all(
    [...unknownOwners].map(async ([uid, { owner, object }]) =>
      (await limit(() => ownerExists(cluster, owner, uid, object))) ? [uid] : [],
    ),
  );
  return new Set(found.flat());
}

async function ownerExists(
  cluster: Cluster,
  owner: Json,
  uid: string,
  owned: KubeObject,
): Promise<boolean> {
  const apiVersion = textAt(owner, "apiVersion") ?? "";
  const [kind, name] = [textAt(owner, "kind") ?? "", textAt(owner, "name") ?? ""];
  const { namespace } = idOf(owned);
  const answer = await cluster.read({ apiVersion, kind, namespace, name });
  return answer.ok && answer.value !== undefined && uidOf(answer.value) === uid;
}
