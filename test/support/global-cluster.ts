import type { TestProject } from "vitest/node";
import type { ClusterAddress } from "./cluster/address.ts";
import { selectedKubernetes } from "./cluster/kubernetes-versions.ts";
import { startCluster } from "./cluster/start.ts";

declare module "vitest" {
  interface ProvidedContext {
    readonly cluster: ClusterAddress;
  }
}

/**
 * Starts one control plane with Argo Rollouts for a whole run of the system tests.
 * Its start takes longer than most tests.
 */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { directory, server, kubeconfig, kubectl, auditLog, stop } = await startCluster({
    rollouts: true,
    apiServers: Number(process.env.QVS_API_SERVERS ?? 1),
    kubernetes: selectedKubernetes(),
  });
  project.provide("cluster", { directory, server, kubeconfig, kubectl, auditLog });
  return stop;
}
