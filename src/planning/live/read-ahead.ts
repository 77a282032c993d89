import type { Deployment } from "../../model/deployments/deployment.ts";
import type { InventoryEntry } from "../../model/deployments/release.ts";
import type { Result } from "../../model/problems/problem.ts";
import { type LiveList, listsToRead } from "../../plan/cluster-reads.ts";
import type { Cluster } from "../../ports/kubernetes.ts";
import { liveInventory } from "../../releases/inventory.ts";
import { type RecordedReleases, readReadableReleases } from "../../releases/store.ts";

/** Reads that start before the desired state is known. */
export interface ReadAhead {
  readonly recorded: Promise<Result<RecordedReleases>>;
  /** Answers each list once from the reads that were started, then from the API server. */
  readonly cluster: Cluster;
}

/**
 * The most objects to read ahead.
 * The engine uses memory for as many objects while it compiles.
 */
const maxObjects = 1_000;

/**
 * Starts to read the releases of a deployment, then the objects of the kinds and namespaces in
 * these releases.
 * That is nearly everything that a plan reads, in the order of a plan. At the same time, a separate
 * thread compiles the adapters.
 */
export function readAhead(
  cluster: Cluster,
  deployment: Deployment,
  world: { readonly decompress: (bytes: Uint8Array) => string },
): ReadAhead {
  const recorded = readReadableReleases(cluster, deployment, world);
  const lists = recorded.then((read) =>
    read.ok ? startLists(cluster, liveInventory(read.value)) : new Map<string, ListRead>(),
  );
  // If compiling fails, qvs makes no plan and never awaits these promises.
  for (const each of [recorded, lists]) each.catch(() => {});
  return { recorded, cluster: { ...cluster, list: prefetchedList(cluster, lists) } };
}

type ListRead = ReturnType<Cluster["list"]>;

function startLists(cluster: Cluster, inventory: readonly InventoryEntry[]): Map<string, ListRead> {
  if (inventory.length > maxObjects) return new Map();
  const lists = listsToRead([], inventory).map((each) => {
    const { apiVersion, kind, namespace, name } = each;
    const answer = cluster.list(apiVersion, kind, namespace, undefined, name);
    answer.catch(() => {});
    return [listKey(each), answer] as const;
  });
  return new Map(lists);
}

function prefetchedList(cluster: Cluster, lists: Promise<Map<string, ListRead>>): Cluster["list"] {
  return async (apiVersion, kind, namespace, selector, name) => {
    if (selector !== undefined) return cluster.list(apiVersion, kind, namespace, selector, name);
    const started = await lists;
    const key = listKey({ apiVersion, kind, namespace, name });
    const answer = started.get(key);
    started.delete(key);
    return answer ?? cluster.list(apiVersion, kind, namespace, undefined, name);
  };
}

function listKey({ apiVersion, kind, namespace = "", name = "" }: LiveList): string {
  return `${apiVersion} ${kind} ${namespace} ${name}`;
}
