import type { LimitFunction } from "p-limit";
import type { ApiResult } from "../../model/cluster/api/api-failure.ts";
import { isBuiltInGroup } from "../../model/cluster/api/built-in-groups.ts";
import {
  type DeletedContents,
  isNamespace,
  type NamespaceOrCrd,
} from "../../model/cluster/namespaces-and-crds.ts";
import { type ListedProducts, ownerUids, productKinds } from "../../model/cluster/owned-objects.ts";
import { at, listAt, textAt } from "../../model/json.ts";
import { type KindRef, kindKey, workloadKinds } from "../../model/kinds.ts";
import { formatApiVersion, groupOf, idOf, type KubeObject, uidOf } from "../../model/object.ts";
import type { Cluster, KindInfo } from "../../ports/kubernetes.ts";
import { containedObjects, type OwnObjectKeys } from "../../ssa/contained-objects.ts";

/**
 * Reads the metadata of the objects that custom resources can own and workloads can use.
 * It also reads the workloads, and the owners between them and the custom resources. Objects of
 * built-in kinds own no such objects, except where a user sets an owner reference.
 */
export async function readProducts(
  cluster: Cluster,
  limit: LimitFunction,
  namespaces: readonly string[],
): Promise<ListedProducts> {
  const read = await Promise.all(
    namespaces.map((each) => readNamespaceProducts(cluster, limit, each)),
  );
  return {
    objects: read.flatMap(({ objects }) => objects),
    unread: new Set(read.flatMap(({ unread }) => [...unread])),
  };
}

/** Returns the namespaces in which custom resources are deleted. "" stands for all namespaces. */
export function customResourceNamespaces(deleted: readonly KubeObject[]): readonly string[] {
  return [...new Set(deleted.filter(isCustomKind).map((each) => idOf(each).namespace))];
}

/** Reports whether a kind isn't built in. The controller of such a kind can create any object. */
export function isCustomKind({ apiVersion }: Pick<KubeObject, "apiVersion">): boolean {
  return !isBuiltInGroup(groupOf(apiVersion));
}

async function readNamespaceProducts(
  cluster: Cluster,
  limit: LimitFunction,
  namespace: string,
): Promise<ListedProducts> {
  const list = createLister(cluster, limit, namespace);
  const products = await list(productKinds);
  const unread: ReadonlySet<string> = new Set(products.isComplete ? [] : [namespace]);
  if (!products.objects.some(isOwned)) return { objects: [], unread };
  const users = await list(workloadKinds);
  // An object without an owner can be an owner itself.
  return { objects: await withOwners([...products.objects, ...users.objects], list), unread };
}

interface KindListing {
  readonly objects: readonly KubeObject[];
  readonly isComplete: boolean;
}

type ListKinds = (kinds: readonly KindRef[]) => Promise<KindListing>;

function createLister(cluster: Cluster, limit: LimitFunction, namespace: string): ListKinds {
  return async (kinds) => {
    const answers = await Promise.all(
      kinds.map(([apiVersion, kind]) =>
        limit(() => cluster.listMetadata(apiVersion, kind, namespace || undefined)),
      ),
    );
    return {
      objects: answers.flatMap((answer) => (answer.ok ? answer.value.items : [])),
      isComplete: answers.every((answer) => answer.ok),
    };
  };
}

/**
 * Adds the owners of these objects, and their owners. It lists each kind once.
 * A kind that qvs can't list ends its chain.
 */
async function withOwners(
  objects: readonly KubeObject[],
  list: ListKinds,
): Promise<readonly KubeObject[]> {
  const all = new Map(objects.map((object) => [uidOf(object), object]));
  const listed = new Set([...productKinds, ...workloadKinds].map(refKey));
  for (;;) {
    const kinds = ownerKinds([...all.values()], all).filter((kind) => !listed.has(refKey(kind)));
    if (kinds.length === 0) return [...all.values()];
    for (const kind of kinds) listed.add(refKey(kind));
    for (const object of (await list(kinds)).objects) all.set(uidOf(object), object);
  }
}

function ownerKinds(
  objects: readonly KubeObject[],
  known: ReadonlyMap<string, KubeObject>,
): readonly KindRef[] {
  const kinds = objects.flatMap((object) =>
    listAt(object, "metadata", "ownerReferences").flatMap((owner): readonly KindRef[] => {
      const [apiVersion, kind] = [textAt(owner, "apiVersion"), textAt(owner, "kind")];
      const isKnown = known.has(textAt(owner, "uid") ?? "");
      return isKnown || apiVersion === undefined || kind === undefined ? [] : [[apiVersion, kind]];
    }),
  );
  return [...new Map(kinds.map((kind) => [refKey(kind), kind])).values()];
}

function refKey([apiVersion, kind]: KindRef): string {
  return `${apiVersion} ${kind}`;
}

function isOwned(object: KubeObject): boolean {
  return ownerUids(object).length > 0;
}

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
