import { isCoreKind } from "../kinds.ts";
import type { ObjectId } from "../object.ts";
import { leaseOf } from "./deployment-lock.ts";

/** Matches the Secrets of releases: `qvs.DEPLOYMENT.vREVISION`, and `.partN` for further parts. */
export const releaseNamePattern = /^qvs\.([a-z0-9-]+)\.v([1-9]\d{0,8})(?:\.part([1-9]\d{0,3}))?$/;

/**
 * Returns the use that qvs itself has for an object's name, such as "the deployment lock".
 * Returns undefined for any other name.
 */
export function reservedUse(
  id: ObjectId,
  { deployment, namespace }: { readonly deployment: string; readonly namespace: string },
): string | undefined {
  if (id.namespace !== namespace) return undefined;
  const lock = leaseOf({ name: deployment, namespace });
  const isLock =
    id.group === "coordination.k8s.io" && id.kind === lock.kind && id.name === lock.name;
  if (isLock) return "the deployment lock";
  const isRelease = isCoreKind(id, "Secret") && releaseNamePattern.test(id.name);
  return isRelease ? "a release" : undefined;
}
