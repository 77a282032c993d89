import { leaseOf } from "../model/cluster/lock-name.ts";
import { type KnownLock, lockStateOf } from "../model/cluster/lock-state.ts";
import type { Deployment } from "../model/deployment.ts";
import { newestOf, type Release } from "../model/release.ts";
import type { Cluster } from "../ports/kubernetes.ts";

/**
 * A newest release that has not ended is somebody's who is at work, or of a run that was killed: the lock says which. "unknown" where it
 * has ended, and nobody asks.
 */
export async function readLockBehind(
  releases: readonly Release[],
  cluster: Cluster,
  deployment: Pick<Deployment, "name" | "namespace">,
  now: Date,
): Promise<KnownLock> {
  if (newestOf(releases)?.status !== "pending") return "unknown";
  const read = await cluster.read(leaseOf(deployment));
  return read.ok ? (lockStateOf(read.value, now) ?? "nobody") : "unknown";
}
