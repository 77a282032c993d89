import type { Release } from "../model/release.ts";
import { formatAge } from "../model/text/age.ts";
import { commitName, deployedCommit } from "./current-release.ts";

/**
 * Describes a rollback target: `release 1 (1a2b3c4d5e6f, deployed 3 days ago)`.
 * `now` is ISO 8601.
 */
export function rollbackTargetText(release: Release, now: string): string {
  const commit = release.source.commit === undefined ? [] : [commitName(deployedCommit(release))];
  const ended = release.finishedAt ?? release.startedAt;
  const details = [...commit, `deployed ${formatAge(ended, now) ?? `at ${ended}`}`];
  return `release ${release.revision} (${details.join(", ")})`;
}
