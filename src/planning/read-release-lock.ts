import { type LockStatus, leaseOf, readLockState } from "../model/cluster/deployment-lock.ts";
import type { Deployment } from "../model/deployment.ts";
import type { ReleaseHistory } from "../model/release-history.ts";
import type { Cluster } from "../ports/kubernetes.ts";

/**
 * Reads the lock behind a pending newest release: its run is still active, or was killed.
 * Returns "unknown" if the newest release has ended, because no caller needs the lock then.
 */
export async function readReleaseLock(
  { newest }: ReleaseHistory,
  cluster: Cluster,
  deployment: Pick<Deployment, "name" | "namespace">,
  now: Date,
): Promise<LockStatus> {
  if (newest?.status !== "pending") return "unknown";
  const read = await cluster.read(leaseOf(deployment));
  return read.ok ? (readLockState(read.value, now) ?? "free") : "unknown";
}
