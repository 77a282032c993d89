import type { DeployOutcome } from "../deploying/deploy-outcome.ts";
import { executePlan } from "../deploying/execute-plan.ts";
import { loadRelease } from "../deploying/load-release.ts";
import { planWithoutLock } from "../deploying/plan-without-lock.ts";
import { type Announce, withLock } from "../deploying/with-lock.ts";
import type { DeployRequest } from "../model/deploy-request.ts";
import type { Deployment } from "../model/deployment.ts";
import { catchProblems, UserError } from "../model/problems/errors.ts";
import type { DesiredState } from "../planning/desired-state.ts";
import type { TargetCluster, World } from "../ports/world.ts";
import type { ReleaseChoice } from "../releases/select.ts";

/**
 * Deploys a recorded release as a new release, with the same order and protection
 * (docs/concepts/releases.md#rollback).
 */
export async function rollback(
  world: World,
  deployment: Deployment,
  to: ReleaseChoice["to"],
  request: DeployRequest,
  announce?: Announce,
): Promise<DeployOutcome> {
  const opened = world.target(deployment);
  const choice = { to, allowFailed: request.allowFailed };
  const loadDesired = (target: TargetCluster, holdsLock: boolean) =>
    loadRelease(world, target, deployment, choice, holdsLock);
  const desired = async () => loadDesired(await opened, false);
  await requireRelease(desired);
  const planBeforeLock = async () => {
    const target = await opened;
    return planWithoutLock(world, { target, deployment, request }, await desired());
  };
  const does = "rollback" as const;
  const before = { desired, planBeforeLock };
  const run = { target: opened, deployment, request, does, announce, ...before };
  return withLock(world, run, async (context) =>
    executePlan(world, context, await loadDesired(context.target, true)),
  );
}

/**
 * Throws a UserError if the release doesn't exist, before qvs waits for a lock or creates a
 * namespace for it.
 */
async function requireRelease(desired: () => Promise<DesiredState>): Promise<void> {
  const loaded = await catchProblems(desired);
  if (loaded.ok || loaded.problems.some(({ code }) => code !== "release-not-found")) return;
  throw new UserError(loaded.problems);
}
