import type { Deployment } from "../deployment.ts";
import { numberAt } from "../json.ts";
import type { KubeObject, ObjectAddress } from "../object.ts";

/** The Lease that is the lock of a deployment. */
export function lockName(deployment: string): string {
  return `qvs-${deployment}`;
}

/** Seconds after which a holder that no longer renews may be replaced (docs/reference/deployment.md#lock). */
export const leaseSeconds = 30;

/** Who may write Leases could keep everybody out for ever, so no Lease counts for longer than ours do. */
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
