import type { KubeObject } from "../../model/object.ts";
import { fieldManager } from "../../model/plan.ts";
import type { LiveObjects } from "../../model/release.ts";
import { fieldOwners } from "../../ssa/managed-fields.ts";
import type { DeclaredObject } from "../declared/objects.ts";
import { isValidPlainData, secretType } from "./plain-data.ts";
import { isValidNewService } from "./plain-service.ts";

/**
 * Returns the keys of objects that a deployment applies without a dry run.
 * They are valid plain data that is new or that no other manager owns a field of, so there can't be
 * a conflict. New Services without special settings are also included.
 * One object of each kind, namespace and action still gets a dry run. It shows problems that
 * concern all of them, such as a missing permission, namespace or quota.
 * `objects` are sorted by key.
 */
export function skippableDryRuns(
  deployment: string,
  objects: readonly DeclaredObject[],
  live: LiveObjects,
): ReadonlySet<string> {
  const tested = new Set<string>();
  const skippable = new Set<string>();
  for (const desired of objects) {
    const existing = live.get(desired.key);
    if (!isSimple(desired.object, existing) || !hasNoOtherOwner(deployment, desired, existing))
      continue;
    const series = `${desired.id.kind} ${desired.id.namespace} ${existing === undefined}`;
    if (tested.has(series)) skippable.add(desired.key);
    tested.add(series);
  }
  return skippable;
}

/**
 * Reports whether an object is simple and certainly valid.
 * An existing Service never is: the API server added fields to it and forbids many changes of them.
 */
function isSimple(object: KubeObject, live: KubeObject | undefined): boolean {
  return isValidPlainData(object) || (live === undefined && isValidNewService(object));
}

/**
 * Reports whether no other manager owns a field, and nothing in the live object forbids the change.
 */
function hasNoOtherOwner(
  deployment: string,
  { object, stage }: DeclaredObject,
  live: KubeObject | undefined,
): boolean {
  if (live === undefined) return true;
  if (live.immutable === true || live.metadata.deletionTimestamp !== undefined) return false;
  if (secretType(object) !== secretType(live)) return false;
  const manager = fieldManager(deployment, stage);
  const owners = fieldOwners(live);
  return (
    owners.length > 0 &&
    owners.every((owner) => owner.manager === manager && owner.operation === "Apply")
  );
}
