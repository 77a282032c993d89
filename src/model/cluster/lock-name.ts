import type { Deployment } from "../deployment.ts";
import { numberAt } from "../json.ts";
import type { KubeObject, ObjectAddress } from "../object.ts";

/** Returns the name of the Lease that is the lock of a deployment. */
export function lockName(deployment: string): string {
  return `qvs-${deployment}`;
}

/**
 * The time without a renewal after which another run can take the lock, in seconds
 * (docs/reference/deployment.md#lock).
 */
export const leaseSeconds = 30;

/**
 * Returns how long a Lease is valid, at most as long as a Lease of qvs.
 * Without this limit, anyone with permission to write Leases could block all runs.
 */
export function lockDurationMs(lease: KubeObject): number {
  const seconds = numberAt(lease, "spec", "leaseDurationSeconds") ?? leaseSeconds;
  return Math.min(seconds, leaseSeconds) * 1000;
}

export function leaseOf({
  name,
  namespace,
}: Pick<Deployment, "name" | "namespace">): ObjectAddress {
  const [apiVersion, kind] = ["coordination.k8s.io/v1", "Lease"];
  return { apiVersion, kind, namespace, name: lockName(name) };
}
