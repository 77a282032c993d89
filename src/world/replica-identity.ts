import { randomBytes } from "node:crypto";
import { hostname } from "node:os";

/**
 * Returns the identity of this replica for the other replicas.
 * It is the name of the Pod, which stays the same after a container restart. Without a Pod name,
 * it's a unique name.
 */
export function replicaIdentity(env: NodeJS.ProcessEnv): string {
  const name = env["POD_NAME"] || `${hostname()}-${randomBytes(4).toString("hex")}`;
  // The result is part of a Lease name.
  return name
    .toLowerCase()
    .replaceAll(/[^a-z0-9-]+/g, "-")
    .replaceAll(/^-+|(?<!-)-+$/g, "")
    .slice(-200);
}
