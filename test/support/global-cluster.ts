import type { TestProject } from "vitest/node";
import type { ClusterAddress } from "./cluster/address.ts";
import { otherVersions, startCluster } from "./cluster/start.ts";

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
    kubernetes: otherVersion(process.env.QVS_KUBERNETES),
  });
  project.provide("cluster", { directory, server, kubeconfig, kubectl, auditLog });
  return stop;
}

function otherVersion(asked: string | undefined) {
  const version = otherVersions.find((each) => each === asked);
  if (asked !== undefined && version === undefined)
    throw new Error(`QVS_KUBERNETES is ${asked}, but must be one of ${otherVersions.join(", ")}.`);
  return version;
}
