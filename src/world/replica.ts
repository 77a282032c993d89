import { randomBytes } from "node:crypto";
import { hostname } from "node:os";

/**
 * How this replica is known to the others: by the name of its Pod, which it keeps when its container starts again, or else by a name
 * that no other process has.
 */
export function replicaIdentity(env: NodeJS.ProcessEnv): string {
  const name = env["POD_NAME"] || `${hostname()}-${randomBytes(4).toString("hex")}`;
  // A Lease is named after it.
  return name
    .toLowerCase()
    .replaceAll(/[^a-z0-9-]+/g, "-")
    .replaceAll(/^-+|(?<!-)-+$/g, "")
    .slice(-200);
}
