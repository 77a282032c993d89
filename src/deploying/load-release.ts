import { isLockActive } from "../model/cluster/deployment-lock.ts";
import type { Deployment } from "../model/deployment.ts";
import { UserError } from "../model/problems/errors.ts";
import { newestRelease, type Release } from "../model/release.ts";
import type { DesiredState } from "../planning/desired-state.ts";
import { readReleaseLock } from "../planning/read-release-lock.ts";
import type { TargetCluster, World } from "../ports/world.ts";
import { hiddenStrings } from "../releases/queries/hidden-strings.ts";
import {
  neverDeployedProblem,
  type ReleaseChoice,
  releaseManifests,
  selectCurrent,
  selectRelease,
} from "../releases/select.ts";
import { readReadableReleases } from "../releases/store.ts";
import { requireReadable } from "../releases/unreadable-records.ts";

/**
 * Returns the desired state of a recorded release. Throws a UserError if it doesn't exist.
 * With `holdsLock`, no other run can be working on an unfinished release.
 */
export async function loadRelease(
  world: World,
  { cluster }: TargetCluster,
  deployment: Deployment,
  choice: ReleaseChoice,
  holdsLock = false,
): Promise<DesiredState> {
  const releases = await readUsableReleases(choice.to, world, cluster, deployment);
  const chosen = selectRelease(releases, choice);
  if (chosen.ok) return restoredState(chosen.value, releases);
  const inProgress = holdsLock
    ? undefined
    : await revisionInProgress(world, cluster, deployment, releases);
  const blocked = selectRelease(releases, choice, inProgress);
  throw new UserError(blocked.ok ? chosen.problems : blocked.problems);
}

/**
 * Returns the desired state of the current release, for a comparison with the live objects. Throws
 * a UserError if the current release is uncertain.
 */
export async function loadCurrentRelease(
  world: World,
  { cluster }: TargetCluster,
  deployment: Deployment,
  holdsLock = false,
): Promise<CorrectedState> {
  const releases = await readUsableReleases("running", world, cluster, deployment);
  const chosen = selectCurrent(releases, deployment);
  if (chosen.ok) return { ...restoredState(chosen.value, releases), corrects: chosen.value };
  const inProgress = holdsLock
    ? undefined
    : await revisionInProgress(world, cluster, deployment, releases);
  const blocked = selectCurrent(releases, deployment, inProgress);
  throw new UserError(blocked.ok ? chosen.problems : blocked.problems);
}

/**
 * Returns the release that another run is deploying. Without it, the error would claim that this
 * release never ended.
 */
async function revisionInProgress(
  { clock }: World,
  cluster: TargetCluster["cluster"],
  deployment: Deployment,
  releases: readonly Release[],
): Promise<number | undefined> {
  const lock = await readReleaseLock(releases, cluster, deployment, clock.now());
  return isLockActive(lock) ? newestRelease(releases)?.revision : undefined;
}

/**
 * Reads the releases. An unreadable record is an error only if it might be the requested release.
 */
async function readUsableReleases(
  to: ReleaseChoice["to"] | "running",
  world: World,
  cluster: TargetCluster["cluster"],
  deployment: Deployment,
): Promise<readonly Release[]> {
  const recorded = await readReadableReleases(cluster, deployment, world);
  if (!recorded.ok) throw new UserError(recorded.problems);
  const { releases, unreadable } = recorded.value;
  const refused = requireReadable(to, unreadable, releases);
  if (!refused.ok) throw new UserError(refused.problems);
  if (releases.length + unreadable.length === 0)
    throw new UserError([neverDeployedProblem(deployment)]);
  return releases;
}

type CorrectedState = DesiredState & { readonly corrects: Release };

/**
 * Returns the desired state. It hides the secrets of all releases, because a live object can be
 * from any of them.
 */
function restoredState(release: Release, releases: readonly Release[]): DesiredState {
  const { inputConfig, layout, revision } = release;
  return {
    manifests: releaseManifests(release),
    unsupported: [],
    input: inputConfig,
    layout,
    hides: [...new Set(releases.flatMap(hiddenStrings))],
    rollbackOf: revision,
  };
}
