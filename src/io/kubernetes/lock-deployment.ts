import type { DeploymentLock } from "../../ports.ts";
import type { OpenCluster } from "./cluster.ts";
import { acquireLock, type LockRequest } from "./lease.ts";

/** Takes the lock of a deployment, and gives with it the cluster that only its holder may write to. */
export async function lockDeployment(
  cluster: OpenCluster,
  request: LockRequest,
): Promise<DeploymentLock> {
  const { lost, isHeld, release } = await acquireLock(cluster, request);
  return { lost, release, cluster: cluster.guarded(() => (isHeld() ? undefined : lockIsLost)) };
}

const lockIsLost = "it was not sent: this run has lost its lock, and another one may be deploying";
