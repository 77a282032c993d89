import { setTimeout as sleep } from "node:timers/promises";
import type { LoadResult } from "./load.ts";
import type { TestNode } from "./use-node.ts";

/** A workload and the Service in front of it. */
interface RollOutOptions {
  /**
   * YAML documents of the Deployment, the Service and everything else. They don't name a namespace.
   * Containers use an image that the test has given to `TestNode.image`.
   */
  readonly manifests: string;
  /** The workload, such as `deployment/web`. */
  readonly workload: string;
  readonly service: string;
  /** Changes the Pod template. Default: `kubectl rollout restart`. */
  readonly change?: (namespace: string) => Promise<unknown>;
}

/**
 * Creates the objects in a new namespace, replaces all Pods while 200 requests per second are sent,
 * and returns the results of these requests. Throws if the new Pods don't become ready.
 */
export async function rollOutUnderLoad(
  node: TestNode,
  { manifests, workload, service, change }: RollOutOptions,
): Promise<LoadResult> {
  const namespace = await node.namespace("rollout");
  await node.apply(namespace, manifests);
  const status = () => node.kubectl("rollout", "status", workload, "-n", namespace);
  await status();
  const restart = () => node.kubectl("rollout", "restart", workload, "-n", namespace);
  const { load } = await loadDuring(node, { namespace, service }, async () => {
    await (change ?? restart)(namespace);
    await status();
  });
  await node.kubectl("delete", "namespace", namespace, "--wait=false");
  return load;
}

/**
 * Sends requests to a Service while `work` runs, and until the Pods that it replaced have ended.
 * Returns the results of both.
 */
export async function loadDuring<T>(
  node: TestNode,
  { namespace, service }: { readonly namespace: string; readonly service: string },
  work: () => Promise<T>,
): Promise<{ readonly result: T; readonly load: LoadResult }> {
  await untilServed(await node.serviceUrl(namespace, service));
  const load = await node.load(namespace, service);
  try {
    const result = await work();
    await untilNoPodEnds(node, namespace);
    // A request that waits for a lost Pod, and a late change of kube-proxy.
    await sleep(1_000);
    return { result, load: await load.stop() };
  } catch (error) {
    await load.stop();
    throw error;
  }
}

/** Waits for many answers in turn. Without a readiness probe, Pods receive requests too early. */
async function untilServed(url: string): Promise<void> {
  const deadline = Date.now() + 120_000;
  for (let answered = 0; answered < 30; ) {
    const ok = await isAnswered(url);
    answered = ok ? answered + 1 : 0;
    if (!ok) await sleep(200);
    if (Date.now() > deadline) throw new Error(`${url} doesn't answer`);
  }
}

async function isAnswered(url: string): Promise<boolean> {
  try {
    const answer = await fetch(url, { headers: { connection: "close" } });
    await answer.text();
    return answer.ok;
  } catch {
    return false;
  }
}

async function untilNoPodEnds(node: TestNode, namespace: string): Promise<void> {
  const path = "jsonpath={.items[*].metadata.deletionTimestamp}";
  const ending = () => node.kubectl("get", "pods", "-n", namespace, "-o", path);
  while ((await ending()) !== "") await sleep(200);
}
