import { idOf, isKubeObject, keyOf } from "../model/object.ts";
import type { Release } from "../model/release.ts";

/**
 * The revisions whose records may go: all but the newest `keep`, the newest succeeded one, and for every kept object
 * the release that it came from, sorted.
 */
export function revisionsToPrune(
  releases: readonly Release[],
  keptKeys: readonly string[],
  keep = 10,
): readonly number[] {
  const newestFirst = releases.toSorted((a, b) => b.revision - a.revision);
  const needed = new Set(newestFirst.slice(0, keep).map((release) => release.revision));
  const succeeded = newestFirst.find((release) => release.status === "succeeded");
  if (succeeded !== undefined) needed.add(succeeded.revision);
  for (const key of keptKeys) {
    const origin = newestFirst.find((release) => declares(release, key));
    if (origin !== undefined) needed.add(origin.revision);
  }
  return newestFirst
    .map((release) => release.revision)
    .filter((revision) => !needed.has(revision))
    .toReversed();
}

/** The recorded manifests are normalised, so their ids are those of the live objects. */
function declares(release: Release, key: string): boolean {
  return release.expandedConfig.some(
    ({ object }) => isKubeObject(object) && keyOf(idOf(object)) === key,
  );
}
