import type { TestProject } from "vitest/node";
import type { ClusterAddress } from "./cluster/address.ts";
import { startNode } from "./node/start-node.ts";

declare module "vitest" {
  interface ProvidedContext {
    readonly node: ClusterAddress;
  }
}

/** Starts one real node for a whole run of the tests that need it. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { cluster, stop } = await startNode();
  const { directory, server, kubeconfig, kubectl, auditLog } = cluster;
  project.provide("node", { directory, server, kubeconfig, kubectl, auditLog });
  return stop;
}
