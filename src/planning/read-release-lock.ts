import { type LockStatus, leaseOf, readLockState } from "../model/cluster/deployment-lock.ts";
import type { Deployment } from "../model/deployment.ts";
import { newestRelease, type Release } from "../model/release.ts";
import type { Cluster } from "../ports/kubernetes.ts";

/**
 * Reads the lock behind a pending newest release: its run is still active, or was killed.
 * Returns "unknown" if the newest release has ended, because no caller needs the lock then.
 */
export async function readReleaseLock(
  releases: readonly Release[],
  cluster: Cluster,
  deployment: Pick<Deployment, "name" | "namespace">,
  now: Date,
): Promise<LockStatus> {
  if (newestRelease(releases)?.status !== "pending") return "unknown";
  const read = await cluster.read(leaseOf(deployment));
  return read.ok ? (readLockState(read.value, now) ?? "free") : "unknown";
}
