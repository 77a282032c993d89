import { textAt } from "../model/json.ts";
import type { PreviewEnvironment } from "../model/preview-environment.ts";
import type { Release } from "../model/release.ts";
import { isDeletionRelease } from "../model/release-history.ts";
import { parseReleaseName } from "./release-names.ts";
import type { RecordedReleases } from "./store.ts";

/** The environment of a pull request, as its releases record it. */
export interface EnvironmentState {
  readonly environment: PreviewEnvironment;
  readonly release: Release;
  /** True if an earlier deletion kept something. The next sweep continues it. */
  readonly isDeleting: boolean;
  /** The time of the last deployment (ISO 8601); undefined if no record shows a possible time. */
  readonly deployedAt: string | undefined;
  /** The end of its lifetime (ISO 8601); undefined if it is unknown, so that it never ends. */
  readonly expiresAt: string | undefined;
}

/** The difference between two clocks that still counts as no time in the future. */
const clockSkewMs = 5 * 60_000;

/** Returns the state of an environment; undefined if the releases aren't those of one. */
export function environmentState(
  recorded: Pick<RecordedReleases, "releases" | "newest" | "secrets">,
  now: Date,
): EnvironmentState | undefined {
  const { newest, releases } = recorded;
  const environment = newest?.environment;
  if (newest === undefined || environment === undefined) return undefined;
  const deployed = releases.filter((release) => !isDeletionRelease(release));
  const times = deployed.flatMap((release) => [
    release.startedAt,
    release.finishedAt,
    release.lastSeen?.at,
    createdAt(recorded, release),
  ]);
  // A clock that was wrong must not extend a lifetime, so times in the future don't count. The
  // time of the Secret comes from the API server.
  const latest = now.getTime() + clockSkewMs;
  const possible = times
    .map((time) => Date.parse(time ?? ""))
    .filter((time) => Number.isFinite(time) && time <= latest);
  const last = possible.length === 0 ? undefined : Math.max(...possible);
  return {
    environment,
    release: newest,
    isDeleting: isDeletionRelease(newest),
    deployedAt: last === undefined ? undefined : new Date(last).toISOString(),
    expiresAt: expiry(last, environment),
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

function expiry(last: number | undefined, { ttlMs }: PreviewEnvironment): string | undefined {
  const end = new Date((last ?? Number.NaN) + ttlMs);
  return Number.isNaN(end.getTime()) ? undefined : end.toISOString();
}

/** Reports whether the lifetime has ended. An unknown end never comes. */
export function hasExpired({ expiresAt }: EnvironmentState, now: Date): boolean {
  return expiresAt !== undefined && Date.parse(expiresAt) <= now.getTime();
}
