import type { EnvironmentState } from "../model/deployments/environment-state.ts";
import type { Release } from "../model/deployments/release.ts";
import { isDeletionRelease } from "../model/deployments/release-history.ts";
import { textAt } from "../model/json.ts";
import { latestPast, timeAfter } from "../model/text/times.ts";
import { parseReleaseName } from "./release-names.ts";
import type { RecordedReleases } from "./store.ts";

/** The difference between two clocks that still counts as no time in the future. */
const clockSkewSeconds = 300;

/** Returns the state of an environment; undefined if the releases aren't those of one. */
export function environmentState(
  recorded: Pick<RecordedReleases, "releases" | "newest" | "secrets">,
  now: string,
): EnvironmentState | undefined {
  const { newest, releases } = recorded;
  const environment = newest?.environment;
  if (newest === undefined || environment === undefined) return undefined;
  const last = releases.find((release) => !isDeletionRelease(release));
  // A clock that was wrong must not extend a lifetime, so times in the future don't count. The
  // time of the Secret comes from the API server. If it is in the future too, the clock of this run
  // is late, and the end is unknown.
  const deployedAt =
    last &&
    latestPast(
      [last.startedAt, last.finishedAt, last.lastSeen?.at, createdAt(recorded, last)],
      now,
      clockSkewSeconds,
    );
  return {
    environment,
    release: newest,
    isDeleting: isDeletionRelease(newest),
    deployedAt,
    expiresAt: deployedAt && timeAfter(deployedAt, environment.ttlMs),
  };
}

function createdAt(
  { secrets }: Pick<RecordedReleases, "secrets">,
  { revision }: Release,
): string | undefined {
  const head = secrets.find((secret) => {
    const name = parseReleaseName(secret);
    return name?.revision === revision && name.part === 0;
  });
  return textAt(head, "metadata", "creationTimestamp");
}
