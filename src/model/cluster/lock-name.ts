import type { Deployment } from "../deployment.ts";
import type { ObjectAddress } from "../object.ts";

/** The Lease that is the lock of a deployment. */
export function lockName(deployment: string): string {
  return `qvs-${deployment}`;
}

export function leaseOf({
  name,
  namespace,
}: Pick<Deployment, "name" | "namespace">): ObjectAddress {
  const [apiVersion, kind] = ["coordination.k8s.io/v1", "Lease"];
  return { apiVersion, kind, namespace, name: lockName(name) };
}
