import { adoptionOf, unrecorded } from "../../model/adoption.ts";
import { conflictsIn } from "../../model/field-conflicts.ts";
import { ownersOf } from "../../model/managed-fields.ts";
import type { KubeObject } from "../../model/object.ts";
import type { ConflictPolicy, FieldConflict } from "../../model/plan.ts";
import type { LiveObjects } from "../../model/release.ts";
import type { DesiredObject } from "../declared/desired.ts";
import type { Predictions } from "../prediction.ts";

/** An object whose dry-run is to be repeated with force, and the conflicts that this may settle, those and no others. */
export interface Contest {
  readonly desired: DesiredObject;
  /** Without those that an adoption will have settled before. */
  readonly forces: readonly FieldConflict[];
}

/**
 * The objects whose conflicts may all be settled in our favour (deploy.md §2): with tools whose fields we adopt, and with
 * the managers that the user named. One conflict that may not be settled leaves the object to be reported.
 */
export function contestsToSettle(
  deployment: string,
  objects: readonly DesiredObject[],
  live: LiveObjects,
  predictions: Predictions,
  policy: ConflictPolicy,
): readonly Contest[] {
  return objects.flatMap((desired) => {
    const prediction = predictions.get(desired.key);
    const existing = live.get(desired.key);
    if (prediction === undefined || prediction.ok || existing === undefined) return [];
    const conflicts = conflictsIn(prediction.failure.causes);
    const open = conflicts.filter(
      (conflict) => !isSettledByAdoption(conflict, existing, deployment, desired),
    );
    const may = (conflict: FieldConflict) =>
      policy.force || policy.takeover.includes(conflict.manager) || isNobodys(conflict, existing);
    return conflicts.length > 0 && open.every(may) ? [{ desired, forces: open }] : [];
  });
}

/** The server names a manager, not its operation: where one name stands for two entries, nobody can say which is meant. */
function isSettledByAdoption(
  { manager, subresource }: FieldConflict,
  live: KubeObject,
  deployment: string,
  { stage }: DesiredObject,
): boolean {
  const adopted = adoptionOf(live, deployment, stage)?.managers ?? [];
  const entries = ownersOf(live).filter(
    (owner) => owner.manager === manager && owner.subresource === subresource,
  );
  return subresource === "" && adopted.includes(manager) && entries.length === 1;
}

/**
 * Where an object has no record of owners, as one from before there were any, the server makes one up for all of its fields at the
 * first apply. The next change finds that record and takes the rest over.
 */
function isNobodys({ manager }: FieldConflict, live: KubeObject): boolean {
  return manager === unrecorded && ownersOf(live).length === 0;
}
