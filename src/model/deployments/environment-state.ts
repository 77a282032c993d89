import { secondsBetween } from "../text/times.ts";
import type { PreviewEnvironment } from "./preview-environment.ts";
import type { Release } from "./release.ts";

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

/** Reports whether the lifetime has ended. An unknown end never comes. */
export function hasExpired({ expiresAt }: EnvironmentState, now: string): boolean {
  return expiresAt !== undefined && secondsBetween(expiresAt, now) >= 0;
}
