import type { LimitFunction } from "p-limit";
import type { ApiResult } from "../../model/cluster/api-failure.ts";
import {
  type DeletedContents,
  isNamespace,
  type NamespaceOrCrd,
} from "../../model/cluster/namespaces-and-crds.ts";
import { at, listAt, textAt } from "../../model/json.ts";
import { kindKey } from "../../model/kinds.ts";
import { formatApiVersion, type KubeObject } from "../../model/object.ts";
import type { Cluster, KindInfo } from "../../ports/kubernetes.ts";
import { containedObjects, type OwnObjectKeys } from "../../ssa/contained-objects.ts";

/**
 * Lists the objects outside this deployment that are deleted with a Namespace or
 * CustomResourceDefinition.
 * It sends one LIST of metadata for each kind: every namespaced kind, or the defined kind. The
 * result names the kinds that qvs can't list.
 */
export async function readContents(
  cluster: Cluster,
  limit: LimitFunction,
  holder: NamespaceOrCrd,
  ownObjects: OwnObjectKeys,
): Promise<DeletedContents> {
  const lists = await contentQueries(cluster, holder);
  if (!lists.ok)
    return { objects: [], unread: [{ kind: "all kinds", why: lists.failure.message }] };
  const answers = await Promise.all(
    lists.value.map(async (list) => ({ list, answer: await limit(() => readList(cluster, list)) })),
  );
  const objects = answers.flatMap(({ answer }) => (answer.ok ? answer.value : []));
  const unread = answers.flatMap(({ list, answer }) =>
    answer.ok ? [] : [{ kind: list.kind, why: answer.failure.message }],
  );
  const sorted = unread.toSorted((a, b) => (a.kind < b.kind ? -1 : 1));
  return { objects: containedObjects(objects, ownObjects), unread: sorted };
}

interface ListQuery {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace: string | undefined;
}

async function contentQueries(
  cluster: Cluster,
  { id, live }: NamespaceOrCrd,
): Promise<ApiResult<readonly ListQuery[]>> {
  if (!isNamespace(id)) return { ok: true, value: customResourceQueries(live) };
  const kinds = await cluster.kinds();
  if (!kinds.ok) return kinds;
  const stored = kinds.value.filter((kind) => kind.namespaced && kind.listable && !isEvent(kind));
  // The preferred version of a group is first.
  const byKind = new Map<string, KindInfo>();
  for (const info of stored) {
    const key = kindKey(info);
    if (!byKind.has(key)) byKind.set(key, info);
  }
  const lists = [...byKind.values()].map((info) => ({
    ...{ apiVersion: formatApiVersion(info), kind: info.kind, namespace: id.name },
  }));
  return { ok: true, value: lists };
}

/** Returns the list request for the objects of a definition. Empty if it serves no version. */
export function customResourceQueries(crd: KubeObject): readonly ListQuery[] {
  const group = textAt(crd, "spec", "group") ?? "";
  const kind = textAt(crd, "spec", "names", "kind") ?? "";
  const served = listAt(crd, "spec", "versions").find((version) => at(version, "served") === true);
  const version = textAt(served, "name");
  return version === undefined
    ? []
    : [{ apiVersion: formatApiVersion({ group, version }), kind, namespace: undefined }];
}

/**
 * Reports whether a kind is Event. A namespace can have thousands of Events that no user misses.
 */
function isEvent({ group, kind }: KindInfo): boolean {
  return kind === "Event" && (group === "" || group === "events.k8s.io");
}

/** Lists the metadata of one kind. A kind that is no longer served has no objects to delete. */
async function readList(
  cluster: Cluster,
  { apiVersion, kind, namespace }: ListQuery,
): Promise<ApiResult<readonly KubeObject[]>> {
  const answer = await cluster.listMetadata(apiVersion, kind, namespace);
  if (answer.ok) return { ok: true, value: answer.value.items };
  const { reason } = answer.failure;
  return reason === "unknown-kind" || reason === "not-found" ? { ok: true, value: [] } : answer;
}
