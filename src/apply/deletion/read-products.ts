import type { LimitFunction } from "p-limit";
import { isBuiltInGroup } from "../../model/cluster/built-in-groups.ts";
import { type ListedProducts, ownerUids, productKinds } from "../../model/cluster/owned-objects.ts";
import { listAt, textAt } from "../../model/json.ts";
import { type KindRef, workloadKinds } from "../../model/kinds.ts";
import { groupOf, idOf, type KubeObject, uidOf } from "../../model/object.ts";
import type { Cluster } from "../../ports/kubernetes.ts";

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
  const listed = new Set([...productKinds, ...workloadKinds].map(kindKey));
  for (;;) {
    const kinds = ownerKinds([...all.values()], all).filter((kind) => !listed.has(kindKey(kind)));
    if (kinds.length === 0) return [...all.values()];
    for (const kind of kinds) listed.add(kindKey(kind));
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
  return [...new Map(kinds.map((kind) => [kindKey(kind), kind])).values()];
}

function kindKey([apiVersion, kind]: KindRef): string {
  return `${apiVersion} ${kind}`;
}

function isOwned(object: KubeObject): boolean {
  return ownerUids(object).length > 0;
}
