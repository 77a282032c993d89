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

/**
 * Counts the ready Pods of each label `app` again and again, until the work ends. Returns the
 * smallest number of each.
 */
export async function leastReadyDuring(
  cluster: TestCluster,
  { namespace, apps }: { readonly namespace: string; readonly apps: readonly string[] },
  work: Promise<unknown>,
): Promise<ReadonlyMap<string, number>> {
  const least = new Map<string, number>();
  let isRunning = true;
  const end = () => {
    isRunning = false;
  };
  work.then(end, end);
  while (isRunning) {
    const list: PodList = JSON.parse(await ask(cluster, `/api/v1/namespaces/${namespace}/pods`));
    const ready = list.items.filter(
      ({ metadata, status }) =>
        metadata.deletionTimestamp === undefined &&
        status.conditions?.some(({ type, status: is }) => type === "Ready" && is === "True"),
    );
    for (const app of apps) {
      const count = ready.filter(({ metadata }) => metadata.labels["app"] === app).length;
      least.set(app, Math.min(least.get(app) ?? count, count));
    }
    await sleep(100);
  }
  return least;
}
