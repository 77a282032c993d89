import {
  appliedOutcomes,
  type Release,
  type ReleasedManifest,
} from "../../model/deployments/release.ts";
import type { ReleaseHistory } from "../../model/deployments/release-history.ts";
import { type FieldStep, valueAtPath } from "../../model/fields/field-differences.ts";
import { type Json, sameJson } from "../../model/json.ts";
import { isCoreObject } from "../../model/kinds.ts";
import { idOf, isKubeObject, type KubeObject, keyOf } from "../../model/object.ts";

/** The manifest of an object in a release. */
export interface RecordedManifest {
  readonly release: Release;
  readonly manifest: ReleasedManifest;
  readonly object: KubeObject;
}

/**
 * Returns the manifests that a test accepts in the newest release that has one. The current release
 * is the first, because later ones might not have applied the object.
 */
export function findRecordedManifests(
  { releases, current }: ReleaseHistory,
  accepts: (object: KubeObject) => boolean,
): readonly RecordedManifest[] {
  const ordered = current === undefined ? releases : [current, ...releases];
  for (const release of ordered) {
    const found = manifestsOf(release).filter(({ object }) => accepts(object));
    if (found.length > 0) return found;
  }
  return [];
}

function manifestsOf(release: Release): readonly RecordedManifest[] {
  return release.expandedConfig.flatMap((manifest) => {
    const { object } = manifest;
    return isKubeObject(object) ? [{ release, manifest, object }] : [];
  });
}

/** The first release with the present value of a field. */
export interface FirstRelease {
  readonly release: Release;
  /** True if older releases aren't recorded anymore, so that an older one might be the first. */
  readonly isOldest: boolean;
}

/**
 * Returns the first of the consecutive releases that declare the same value as `recorded`. Releases
 * that didn't apply the object don't count.
 */
export function firstReleaseWithValue(
  { releases }: ReleaseHistory,
  { release: last, object }: RecordedManifest,
  path: readonly FieldStep[],
): FirstRelease {
  const key = keyOf(idOf(object));
  const value = recordedValue(object, path);
  let first = last;
  for (const release of releases) {
    if (release.revision >= last.revision || !applied(release, key)) continue;
    const earlier = manifestsOf(release).find((each) => keyOf(idOf(each.object)) === key);
    const same =
      earlier !== undefined && sameJson(recordedValue(earlier.object, path) ?? null, value ?? null);
    if (!same) return { release: first, isOldest: false };
    first = release;
  }
  return { release: first, isOldest: first.revision > 1 };
}

function applied({ status, results }: Release, key: string): boolean {
  if (status === "succeeded") return true;
  return results.some((result) => result.key === key && appliedOutcomes.has(result.outcome));
}

/** Returns a declared value. The strings of a Secret's `stringData` are also found in `data`. */
export function recordedValue(object: KubeObject, path: readonly FieldStep[]): Json | undefined {
  const found = valueAtPath(object, path);
  const [part, ...rest] = path;
  if (found !== undefined || part !== "data" || !isCoreObject(object, "Secret")) return found;
  return valueAtPath(object, ["stringData", ...rest]);
}
