import type { KubeObject } from "../../model/object.ts";
import { fieldManager } from "../../model/plan.ts";
import type { LiveObjects } from "../../model/release.ts";
import { ownersOf } from "../../ssa/managed-fields.ts";
import type { DeclaredObject } from "../declared/objects.ts";
import { isValidPlainData, secretType } from "./plain-data.ts";
import { isValidNewService } from "./plain-service.ts";

/**
 * Objects that a deployment need not ask about: plain data without a fault that is new, or that nobody but us owns a
 * field of, so that there can't be a conflict, and new Services that have nothing special. One of each kind, namespace and action is asked about all the same: it stands for
 * what concerns them all, such as a missing permission, namespace or quota. `objects` are sorted by key.
 */
export function keysThatSkipDryRun(
  deployment: string,
  objects: readonly DeclaredObject[],
  live: LiveObjects,
): ReadonlySet<string> {
  const represented = new Set<string>();
  const evident = new Set<string>();
  for (const desired of objects) {
    const existing = live.get(desired.key);
    if (!isPlain(desired.object, existing) || !isFree(deployment, desired, existing)) continue;
    const series = `${desired.id.kind} ${desired.id.namespace} ${existing === undefined}`;
    if (represented.has(series)) evident.add(desired.key);
    represented.add(series);
  }
  return evident;
}

/** Of a Service that exists, the server has made more than we declare, and forbids to change much of that. */
function isPlain(object: KubeObject, live: KubeObject | undefined): boolean {
  return isValidPlainData(object) || (live === undefined && isValidNewService(object));
}

/** Nobody else has a say in it, and nothing that is live forbids the change. */
function isFree(
  deployment: string,
  { object, stage }: DeclaredObject,
  live: KubeObject | undefined,
): boolean {
  if (live === undefined) return true;
  if (live.immutable === true || live.metadata.deletionTimestamp !== undefined) return false;
  if (secretType(object) !== secretType(live)) return false;
  const manager = fieldManager(deployment, stage);
  const owners = ownersOf(live);
  return (
    owners.length > 0 &&
    owners.every((owner) => owner.manager === manager && owner.operation === "Apply")
  );
}
