import { groupOf, type KubeObject } from "../model/object.ts";
import type { LiveList } from "../plan/cluster-reads.ts";
import type { Answer, Cluster, ClusterFailure } from "../ports.ts";

type Objects = Answer<readonly KubeObject[]>;

const none: Objects = { ok: true, value: [] };

/**
 * What the cluster holds of a kind, whatever version it serves that in: a release may have recorded one that is gone
 * since. Only a kind that is served in no version at all, or a namespace that does not exist, counts as empty; what
 * counts as empty by mistake would be forgotten, and never deleted.
 */
export async function listWhereServed(cluster: Cluster, list: LiveList): Promise<Objects> {
  const { apiVersion, kind, namespace } = list;
  const answer = await cluster.list(apiVersion, kind, namespace);
  if (answer.ok) return { ok: true, value: answer.value.items };
  switch (answer.failure.reason) {
    case "unknown-kind":
      return listInOtherVersion(cluster, list, answer.failure);
    case "not-found":
      return ifNamespaceIsMissing(cluster, namespace, answer.failure);
    default:
      return answer;
  }
}

async function listInOtherVersion(
  cluster: Cluster,
  { apiVersion, kind, namespace }: LiveList,
  failure: ClusterFailure,
): Promise<Objects> {
  const served = await cluster.preferredKind(groupOf(apiVersion), kind);
  if (!served.ok) return served.failure.reason === "unknown-kind" ? none : served;
  const { group, version } = served.value;
  const other = group === "" ? version : `${group}/${version}`;
  // The very version that was just refused: discovery is behind, and nobody knows what is there.
  if (other === apiVersion) return { ok: false, failure };
  const answer = await cluster.list(other, kind, namespace);
  return answer.ok ? { ok: true, value: answer.value.items } : answer;
}

async function ifNamespaceIsMissing(
  cluster: Cluster,
  namespace: string | undefined,
  failure: ClusterFailure,
): Promise<Objects> {
  if (namespace === undefined) return { ok: false, failure };
  const address = { apiVersion: "v1", kind: "Namespace", namespace: "", name: namespace };
  const found = await cluster.read(address);
  return found.ok && found.value === undefined ? none : { ok: false, failure };
}
