import pMap from "p-map";
import type { ApiResult } from "../../model/cluster/api-failure.ts";
import { keyOf, uidOf } from "../../model/object.ts";
import type { Plan } from "../../model/plan.ts";
import type { Cluster } from "../../ports/kubernetes.ts";
import type { ClusterFact, OwnerFact } from "../../preflight/cluster-facts.ts";
import { declaredOwners, type OwnerReference } from "../../preflight/declared-owners.ts";
import { toFact } from "./to-fact.ts";

/**
 * Reads the live objects under the names of the owners that the plan's objects will have, by owner
 * key.
 */
export async function readOwners(
  cluster: Cluster,
  { changes }: Plan,
  concurrency: number,
): Promise<ReadonlyMap<string, ClusterFact<OwnerFact>>> {
  const owners = new Map(changes.flatMap(declaredOwners).map((each) => [keyOf(each.id), each]));
  const read = await pMap(
    [...owners],
    async ([key, owner]) =>
      [key, toFact(await readOwner(cluster, owner), (found) => found)] as const,
    { concurrency },
  );
  return new Map(read);
}

async function readOwner(
  cluster: Cluster,
  { apiVersion, id }: OwnerReference,
): Promise<ApiResult<OwnerFact>> {
  const kind = await cluster.kind(apiVersion, id.kind);
  if (!kind.ok) return kind;
  const { namespaced } = kind.value;
  const namespace = namespaced ? id.namespace : "";
  // A cluster-scoped object can't have an owner in a namespace, so no namespace can be searched.
  if (namespaced && namespace === "") return { ok: true, value: { namespaced, uid: undefined } };
  const answer = await cluster.read({ apiVersion, kind: id.kind, namespace, name: id.name });
  if (!answer.ok) return answer;
  const uid = answer.value === undefined ? undefined : uidOf(answer.value);
  return { ok: true, value: { namespaced, uid } };
}
