import { type Json, sameJson } from "../../model/json.ts";
import { idOf, isKubeObject, keyOf } from "../../model/object.ts";
import type { Change, PlannedOperation } from "../../model/plan.ts";
import type { Release, ReleasedManifest } from "../../model/release.ts";
import { collectRecords } from "../attribution/release-records.ts";

/**
 * Returns a test for operations that only restore what the current release declares, e.g. after a
 * manual change.
 * Such an operation creates or applies an object exactly as declared by all releases that might
 * have written the live object. It takes no fields from other managers, and neither replaces nor
 * deletes an object.
 */
export function createRestoreCheck(
  changes: readonly Change[],
  declared: readonly ReleasedManifest[],
  releases: readonly Release[],
): (operation: PlannedOperation) => boolean {
  const { release, possiblyLive } = collectRecords(releases);
  const desired = byKey(declared);
  const applied = new Set(changes.filter(isOnlyApplied).map(({ key }) => key));
  return ({ key, action }) => {
    const declaredNow = desired.get(key);
    const recorded = possiblyLive.get(key) ?? [];
    // A release that failed might have declared the object without deploying it.
    const wasDeployed = recorded.some(({ isDeployed }) => isDeployed);
    if (release === undefined || declaredNow === undefined || !wasDeployed) return false;
    if (action === "delete" || action === "replace" || !applied.has(key)) return false;
    return recorded.every(({ manifest }) => isSameManifest(manifest, declaredNow));
  };
}

function isOnlyApplied({ steps }: Change): boolean {
  return steps.every(({ type }) => type === "apply");
}

function byKey(manifests: readonly ReleasedManifest[]): ReadonlyMap<string, ReleasedManifest> {
  return new Map(
    manifests.flatMap((manifest) => {
      const { object } = manifest;
      return isKubeObject(object) ? [[keyOf(idOf(object)), manifest] as const] : [];
    }),
  );
}

/** Compares two manifests as JSON, because a record has no fields without a value. */
function isSameManifest(a: ReleasedManifest, b: ReleasedManifest): boolean {
  const parts = ({ stage, object, references }: ReleasedManifest) =>
    JSON.parse(JSON.stringify({ stage, object, references: references ?? false })) as Json;
  return sameJson(parts(a), parts(b));
}
