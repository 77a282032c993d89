import type { Release } from "../model/release.ts";
import type { ReleaseHistory } from "../model/release-history.ts";
import { hiddenInAny } from "../releases/queries/hidden-strings.ts";
import { releaseManifests } from "../releases/select.ts";
import type { DesiredState } from "./desired-state.ts";

/**
 * Returns the desired state of a release. It hides the secrets of all releases, because a live
 * object can be from any of them.
 */
export function recordedState(release: Release, { releases }: ReleaseHistory): DesiredState {
  const { inputConfig, layout, revision, checks, deletionHooks } = release;
  return {
    manifests: releaseManifests(release),
    unsupported: [],
    input: inputConfig,
    layout,
    checks,
    ...(deletionHooks === undefined ? {} : { deletionHooks }),
    hides: hiddenInAny(releases),
    rollbackOf: revision,
  };
}
