import type { ReleaseSummary } from "../../model/deployment-state.ts";
import type { Release } from "../../model/release.ts";
import type { ReleaseHistory } from "../../model/release-history.ts";
import { releaseStatus } from "../select.ts";

/**
 * Summarizes the releases of one deployment, newest first.
 * `isLocked` is true if a run holds the deployment lock, so that a pending release is under way.
 */
export function summarizeReleases(
  { releases, current }: ReleaseHistory,
  isLocked = false,
): readonly ReleaseSummary[] {
  return releases.map((release, index) => ({
    ...summarize(release),
    status: releaseStatus(release, isLocked && index === 0),
    isRunning: release === current,
  }));
}

function summarize(release: Release): Omit<ReleaseSummary, "status" | "isRunning"> {
  const { revision, rollbackOf, onlyStage, startedAt, finishedAt, source, results } = release;
  return {
    ...{ revision, rollbackOf, onlyStage, startedAt, finishedAt },
    commit: source.commit,
    uncommitted: source.uncommitted === true,
    actor: source.actor,
    run: source.run,
    changed: results.filter(({ outcome }) => outcome !== "unchanged"),
    unchanged: results.filter(({ outcome }) => outcome === "unchanged").length,
    declared: release.expandedConfig.length,
    lastSeen: release.lastSeen,
    overrodeFreeze: release.overrode?.id,
  };
}
