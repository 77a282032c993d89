import type { TestProject } from "vitest/node";
import type { ClusterAddress } from "../cluster/address.ts";
import { startCluster } from "../cluster/start.ts";

declare module "vitest" {
  interface ProvidedContext {
    readonly cluster: ClusterAddress;
  }
}

/** One control plane, with Argo Rollouts, for a whole run of the system tests: starting it costs more than most tests take. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { directory, server, kubeconfig, kubectl, auditLog, stop } = await startCluster({
    rollouts: true,
  });
  project.provide("cluster", { directory, server, kubeconfig, kubectl, auditLog });
  return stop;
}
