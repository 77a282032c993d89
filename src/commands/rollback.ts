import type { DeployOutcome } from "../deploying/deploy-outcome.ts";
import { executePlan } from "../deploying/execute-plan.ts";
import { loadRelease } from "../deploying/load-release.ts";
import { planWithoutLock } from "../deploying/plan-without-lock.ts";
import { type Announce, withLock } from "../deploying/with-lock.ts";
import type { DeployRequest } from "../model/deployments/deploy-request.ts";
import type { Deployment } from "../model/deployments/deployment.ts";
import type { Release } from "../model/deployments/release.ts";
import { catchProblems, UserError } from "../model/problems/errors.ts";
import type { DesiredState } from "../planning/desired-state.ts";
import type { World } from "../ports/world.ts";
import type { ReleaseChoice } from "../releases/select.ts";

/** The release to restore. */
export type RollbackChoice = Pick<ReleaseChoice, "to" | "requested">;

/**
 * Deploys a recorded release as a new release, with the same order and protection
 * (docs/concepts/releases.md#rollback).
 * `previous` stays the same release if an earlier attempt of this run has begun the rollback, or if
 * another run did the same while this one waited for the lock.
 */
export async function rollback(
  world: World,
  deployment: Deployment,
  chosen: RollbackChoice,
  request: DeployRequest,
  announce?: Announce,
): Promise<DeployOutcome> {
  const opened = world.target(deployment);
  const { allowFailed } = request;
  const load = async (isSameRollback: ReleaseChoice["isSameRollback"], holdsLock: boolean) =>
    loadRelease(
      world,
      await opened,
      deployment,
      { ...chosen, allowFailed, isSameRollback },
      holdsLock,
    );
  const isOwn = ({ source: { run } }: Release) => run !== undefined && run === world.origin.run;
  const restored = await requireRelease(() => load(isOwn, false));
  const isSame = (newest: Release) => isOwn(newest) || newest.rollbackOf === restored;
  const desired = () => load(isSame, false);
  const planBeforeLock = async () => {
    const target = await opened;
    return planWithoutLock(world, { target, deployment, request }, await desired());
  };
  const does = "rollback" as const;
  const before = { desired, planBeforeLock };
  const run = { target: opened, deployment, request, does, announce, ...before };
  return withLock(world, run, async (context) =>
    executePlan(world, context, await load(isSame, true)),
  );
}

/**
 * Returns the number of the release to restore; undefined if qvs can't read it yet. Throws a
 * UserError if there is no such release, before qvs waits for a lock or creates a namespace for it.
 */
async function requireRelease(desired: () => Promise<DesiredState>): Promise<number | undefined> {
  const loaded = await catchProblems(desired);
  if (loaded.ok) return loaded.value.rollbackOf;
  if (loaded.problems.some(({ code }) => !isFinal(code))) return undefined;
  throw new UserError(loaded.problems);
}

/** Reports whether waiting for other runs can't remove the error. */
function isFinal(code: string): boolean {
  return code === "release-not-found" || code === "ambiguous-previous";
}
