import type { Release } from "./release.ts";

/**
 * The readable releases of one deployment, in order, with the ones that most decisions ask for.
 * `createReleaseHistory` is the only place that sorts releases.
 */
export interface ReleaseHistory {
  /** All releases, newest first. */
  readonly releases: readonly Release[];
  /** The release with the highest revision, whatever its status; undefined without releases. */
  readonly newest: Release | undefined;
  /** The newest release that succeeded; undefined if none did. */
  readonly current: Release | undefined;
  /**
   * The releases that might have left objects in the cluster, newest first: the current one and all
   * later ones. If none succeeded, these are all.
   */
  readonly possiblyLive: readonly Release[];
}

/** Sorts the releases of one deployment, which can be in any order. */
export function createReleaseHistory(inAnyOrder: readonly Release[]): ReleaseHistory {
  const releases = sortNewestFirst(inAnyOrder);
  const current = releases.find(({ status }) => status === "succeeded");
  const possiblyLive =
    current === undefined ? releases : releases.slice(0, releases.indexOf(current) + 1);
  return { releases, newest: releases[0], current, possiblyLive };
}

/** The history of a deployment without releases. */
export const emptyHistory: ReleaseHistory = createReleaseHistory([]);

/** Returns the releases after a revision, newest first. */
export function releasesSince({ releases }: ReleaseHistory, revision: number): readonly Release[] {
  return releases.filter((release) => release.revision > revision);
}

/** Sorts releases, or the metadata of their records. */
export function sortNewestFirst<T extends Pick<Release, "revision">>(
  releases: readonly T[],
): readonly T[] {
  return releases.toSorted((a, b) => b.revision - a.revision);
}

/**
 * Reports whether an earlier attempt to delete the deployment left this release.
 * Such a release declares nothing and has no commit.
 */
export function isDeletionRelease({ expandedConfig, rollbackOf, source }: Release): boolean {
  return expandedConfig.length === 0 && rollbackOf === undefined && source.commit === undefined;
}
