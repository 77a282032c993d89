import { isLockActive } from "../model/cluster/deployment-lock.ts";
import type { Deployment } from "../model/deployments/deployment.ts";
import type { Release } from "../model/deployments/release.ts";
import type { ReleaseHistory } from "../model/deployments/release-history.ts";
import { UserError } from "../model/problems/errors.ts";
import { readReleaseLock } from "../planning/checks/check-lock-and-record.ts";
import { type DesiredState, recordedState } from "../planning/desired-state.ts";
import type { TargetCluster, World } from "../ports/world.ts";
import {
  neverDeployedProblem,
  type ReleaseChoice,
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
  const history = await readUsableHistory(choice.to, world, cluster, deployment);
  const chosen = selectRelease(history, choice);
  if (chosen.ok) return recordedState(chosen.value, history);
  const inProgress = holdsLock
    ? undefined
    : await revisionInProgress(world, cluster, deployment, history);
  const blocked = selectRelease(history, choice, inProgress);
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
  const history = await readUsableHistory("running", world, cluster, deployment);
  const chosen = selectCurrent(history, deployment);
  if (chosen.ok) {
    // The objects of the release have passed its checks.
    return { ...recordedState(chosen.value, history), checks: [], corrects: chosen.value };
  }
  const inProgress = holdsLock
    ? undefined
    : await revisionInProgress(world, cluster, deployment, history);
  const blocked = selectCurrent(history, deployment, inProgress);
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
  history: ReleaseHistory,
): Promise<number | undefined> {
  const lock = await readReleaseLock(history, cluster, deployment, clock.now());
  return isLockActive(lock) ? history.newest?.revision : undefined;
}

/**
 * Reads the releases. An unreadable record is an error only if it might be the requested release.
 */
async function readUsableHistory(
  to: ReleaseChoice["to"] | "running",
  world: World,
  cluster: TargetCluster["cluster"],
  deployment: Deployment,
): Promise<ReleaseHistory> {
  const recorded = await readReadableReleases(cluster, deployment, world);
  if (!recorded.ok) throw new UserError(recorded.problems);
  const { releases, unreadable } = recorded.value;
  const refused = requireReadable(to, unreadable, recorded.value);
  if (!refused.ok) throw new UserError(refused.problems);
  if (releases.length + unreadable.length === 0)
    throw new UserError([neverDeployedProblem(deployment)]);
  return recorded.value;
}

type CorrectedState = DesiredState & { readonly corrects: Release };
