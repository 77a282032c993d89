import { setTimeout as sleep } from "node:timers/promises";
import { ask } from "./api/ask.ts";
import type { TestCluster } from "./use-cluster.ts";

interface PodList {
  readonly items: readonly {
    readonly metadata: {
      readonly labels: Readonly<Record<string, string>>;
      readonly deletionTimestamp?: string;
    };
    readonly status: { readonly conditions?: readonly { type: string; status: string }[] };
  }[];
}

/** The Pods of a workload during a rollout; terminating ones don't count. */
export interface PodCounts {
  readonly leastReady: number;
  /** The largest number that was counted twice in a row. */
  readonly mostPods: number;
}

/**
 * Counts the Pods of each label `app` again and again, until the work ends. A Deployment can have
 * one Pod too many for a moment, because its ReplicaSets are scaled one after another.
 */
export async function countPodsDuring(
  cluster: TestCluster,
  { namespace, apps }: { readonly namespace: string; readonly apps: readonly string[] },
  work: Promise<unknown>,
): Promise<ReadonlyMap<string, PodCounts>> {
  const counts = new Map<string, PodCounts & { readonly last: number }>();
  let isRunning = true;
  const end = () => {
    isRunning = false;
  };
  work.then(end, end);
  while (isRunning) {
    const list: PodList = JSON.parse(await ask(cluster, `/api/v1/namespaces/${namespace}/pods`));
    const active = list.items.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
    for (const app of apps) {
      const own = active.filter(({ metadata }) => metadata.labels["app"] === app);
      const ready = own.filter(isReady).length;
      const { leastReady = ready, mostPods = 0, last = 0 } = counts.get(app) ?? {};
      counts.set(app, {
        leastReady: Math.min(leastReady, ready),
        mostPods: Math.max(mostPods, Math.min(last, own.length)),
        last: own.length,
      });
    }
    await sleep(100);
  }
  return counts;
}

function isReady({ status }: PodList["items"][number]): boolean {
  return (
    status.conditions?.some(({ type, status: is }) => type === "Ready" && is === "True") ?? false
  );
}
