import type { DeployOutcome } from "../deploying/deploy-outcome.ts";
import { executePlan } from "../deploying/execute-plan.ts";
import { planWithoutLock } from "../deploying/plan-without-lock.ts";
import { type DeployContext, withLock } from "../deploying/with-lock.ts";
import { leaseOf } from "../model/cluster/deployment-lock.ts";
import type { DeployRequest } from "../model/deployments/deploy-request.ts";
import type { Deployment } from "../model/deployments/deployment.ts";
import { UserError } from "../model/problems/errors.ts";
import type { Problem } from "../model/problems/problem.ts";
import type { DesiredState } from "../planning/desired-state.ts";
import { emptyDesiredState } from "../planning/desired-state.ts";
import { withRolesAdvice } from "../planning/permissions/find-denied-permissions.ts";
import type { TargetCluster, World } from "../ports/world.ts";
import { deleteRecords, type RecordedReleases, readReleases } from "../releases/store.ts";

/**
 * The result if the cluster contains no release, or only the remains of a run that was killed at
 * its end.
 */
interface NothingLeft {
  readonly type: "nothing left";
}

/** Returns the reason to keep a deployment, from its releases; undefined to delete it. */
export type DeletionGuard = (recorded: RecordedReleases) => Promise<Problem | undefined>;

/**
 * Deletes a whole deployment in reverse order, by its recorded inventory, and then its releases and
 * its lock (docs/concepts/releases.md#deleting-a-deployment).
 * After a killed run, another run finishes the deletion. `guard` runs under the lock, because the
 * reason for the deletion can change until then.
 */
export async function deleteDeployment(
  world: World,
  deployment: Deployment,
  request: DeployRequest,
  desired = emptyDesiredState,
  guard?: DeletionGuard,
): Promise<DeployOutcome | NothingLeft> {
  const target = await world.target(deployment);
  if (await isNothingLeft(world, target, deployment)) return { type: "nothing left" };
  const planBeforeLock = () => planWithoutLock(world, { target, deployment, request }, desired);
  const does = "delete" as const;
  const run = { target: Promise.resolve(target), deployment, request, does, planBeforeLock };
  return withLock(world, run, (context) => deleteUnderLock(world, context, desired, guard));
}

async function deleteUnderLock(
  world: World,
  context: DeployContext,
  desired: DesiredState,
  guard: DeletionGuard | undefined,
): Promise<DeployOutcome | NothingLeft> {
  const { lock, deployment } = context;
  const recorded = await read(world, lock, deployment);
  const { releases } = recorded;
  const why = releases.length === 0 ? undefined : await guard?.(recorded);
  if (why !== undefined) return { type: "superseded", why };
  if (releases.length > 0) return executePlan(world, context, desired);
  await deleteRecords(lock.cluster, deployment);
  context.endLock();
  return { type: "nothing left" };
}

/** Reports whether the cluster contains neither a release record, nor a part of one, nor a lock. */
async function isNothingLeft(
  world: World,
  target: TargetCluster,
  deployment: Deployment,
): Promise<boolean> {
  const { secrets } = await read(world, target, deployment);
  if (secrets.length > 0) return false;
  const lease = await target.cluster.read(leaseOf(deployment));
  return lease.ok && lease.value === undefined;
}

async function read(
  world: World,
  { cluster }: Pick<TargetCluster, "cluster">,
  deployment: Deployment,
): Promise<RecordedReleases> {
  const recorded = await readReleases(cluster, deployment, world);
  if (!recorded.ok)
    throw new UserError(
      recorded.problems.map((problem) => withRolesAdvice(problem, "delete", deployment.name)),
    );
  // Deleting an unreadable record would lose its inventory, and its objects would never be deleted.
  const { unreadable } = recorded.value;
  if (unreadable.length > 0) throw new UserError(unreadable.map(({ problem }) => problem));
  return recorded.value;
}
