import type { Deployment } from "../model/deployment.ts";
import type { Result } from "../model/problems/problem.ts";
import type { InventoryEntry } from "../model/release.ts";
import { listsToRead } from "../plan/cluster-reads.ts";
import type { Cluster } from "../ports/kubernetes.ts";
import { inventoryOf } from "../releases/inventory.ts";
import { type RecordedReleases, readReadableReleases } from "../releases/store.ts";

/** What a plan reads first, asked for before it is known what is desired. */
export interface ReadAhead {
  readonly recorded: Promise<Result<RecordedReleases>>;
  /** Answers with the lists that were read, with each of them once: what is asked again is asked of the server. */
  readonly cluster: Cluster;
}

/** More objects would be in memory beside the engine that compiles as many. */
const mostObjects = 1_000;

/**
 * Reads, in the order of a plan, the releases of a deployment and then the objects of the kinds and namespaces that they know of:
 * nearly all that the plan looks at. Adapters are compiled in a thread of their own meanwhile.
 */
export function readAhead(
  cluster: Cluster,
  deployment: Deployment,
  world: { readonly decompress: (bytes: Uint8Array) => string },
): ReadAhead {
  const recorded = readReadableReleases(cluster, deployment, world);
  const lists = recorded.then((read) =>
    read.ok ? startLists(cluster, inventoryOf(read.value.releases)) : new Map<string, List>(),
  );
  // What does not compile is not planned: then nobody awaits them.
  for (const each of [recorded, lists]) each.catch(() => {});
  return { recorded, cluster: { ...cluster, list: listFrom(cluster, lists) } };
}

type List = ReturnType<Cluster["list"]>;

function startLists(cluster: Cluster, inventory: readonly InventoryEntry[]): Map<string, List> {
  if (inventory.length > mostObjects) return new Map();
  const lists = listsToRead([], inventory).map(({ apiVersion, kind, namespace }) => {
    const answer = cluster.list(apiVersion, kind, namespace);
    answer.catch(() => {});
    return [keyOf(apiVersion, kind, namespace), answer] as const;
  });
  return new Map(lists);
}

function listFrom(cluster: Cluster, lists: Promise<Map<string, List>>): Cluster["list"] {
  return async (apiVersion, kind, namespace, selector) => {
    if (selector !== undefined) return cluster.list(apiVersion, kind, namespace, selector);
    const started = await lists;
    const key = keyOf(apiVersion, kind, namespace);
    const answer = started.get(key);
    started.delete(key);
    return answer ?? cluster.list(apiVersion, kind, namespace);
  };
}

function keyOf(apiVersion: string, kind: string, namespace = ""): string {
  return `${apiVersion} ${kind} ${namespace}`;
}
