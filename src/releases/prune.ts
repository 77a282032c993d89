import type { Release } from "../model/deployments/release.ts";
import type { ReleaseHistory } from "../model/deployments/release-history.ts";
import { idOf, isKubeObject, keyOf } from "../model/object.ts";
import { declareSameObjects } from "./with-other-stage.ts";

/** The number of newest releases that qvs keeps by default. */
export const keptByDefault = 10;

/**
 * Returns the revisions whose records can be deleted, sorted.
 * These records stay: the newest `keep`, the newest succeeded one, and the origin of every kept
 * object. The newest `keep` releases that changed objects also stay, because earlier versions
 * recorded every run. Rollback targets therefore stay in the history.
 */
export function revisionsToPrune(
  { releases, current }: ReleaseHistory,
  keptKeys: readonly string[],
  keep = keptByDefault,
): readonly number[] {
  const changes = releases.filter((release, index) => !isRepetition(release, releases[index - 1]));
  const newest = [...releases.slice(0, keep), ...changes.slice(0, keep)];
  const needed = new Set(newest.map((release) => release.revision));
  if (current !== undefined) needed.add(current.revision);
  const unassigned = new Set(keptKeys);
  for (const release of releases) {
    const origins =
      unassigned.size === 0 ? [] : declaredKeys(release).filter((key) => unassigned.has(key));
    if (origins.length > 0) needed.add(release.revision);
    for (const key of origins) unassigned.delete(key);
  }
  return releases
    .map((release) => release.revision)
    .filter((revision) => !needed.has(revision))
    .toReversed();
}

function isRepetition(release: Release, newer: Release | undefined): boolean {
  const bothSucceeded = release.status === "succeeded" && newer?.status === "succeeded";
  return bothSucceeded && declareSameObjects(release, newer);
}

/**
 * Returns the keys of the declared objects.
 * Recorded manifests are normalized, so their IDs equal those of the live objects.
 */
function declaredKeys(release: Release): readonly string[] {
  return release.expandedConfig.flatMap(({ object }) =>
    isKubeObject(object) ? [keyOf(idOf(object))] : [],
  );
}
