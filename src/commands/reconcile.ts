import type { DeployedOutcome } from "../deploying/deploy-outcome.ts";
import { executePlan } from "../deploying/execute-plan.ts";
import { findDrift } from "../deploying/find-drift.ts";
import { loadCurrentRelease } from "../deploying/load-release.ts";
import { planWithoutLock } from "../deploying/plan-without-lock.ts";
import { withLock } from "../deploying/with-lock.ts";
import type { DeployRequest } from "../model/deployments/deploy-request.ts";
import type { Deployment } from "../model/deployments/deployment.ts";
import type { Drift } from "../model/deployments/drift.ts";
import { UserError } from "../model/problems/errors.ts";
import type { Problem } from "../model/problems/problem.ts";
import type { World } from "../ports/world.ts";
import { changesCluster } from "../releases/current-release.ts";

export type ReconcileOutcome =
  /** The deployment had no drift. Nothing was written, not even the lock. */
  | { readonly type: "clean"; readonly drift: Drift }
  /** The drift was corrected. If `outcome.result` hasn't succeeded, some of it can remain. */
  | { readonly type: "corrected"; readonly drift: Drift; readonly outcome: DeployedOutcome }
  /** A newer run requested the lock before the first change. */
  | { readonly type: "superseded"; readonly drift: Drift; readonly why: Problem };

/**
 * Corrects the drift from the current release, with the rules of a deployment but without a new
 * release (docs/reference/drift.md#correction).
 * Looks for drift before it takes the lock. Throws a UserError without changes if the drift is
 * unknown or the correction is blocked.
 */
export async function reconcile(
  world: World,
  deployment: Deployment,
  request: DeployRequest,
): Promise<ReconcileOutcome> {
  const opened = world.target(deployment);
  const target = await opened;
  const drift = await findDrift(world, target, deployment, request, "reconcile");
  if (drift.blockers.length > 0) throw new UserError(drift.blockers);
  if (drift.status === "clean") return { type: "clean", drift };
  const desired = await loadCurrentRelease(world, target, deployment);
  const planBeforeLock = () => planWithoutLock(world, { target, deployment, request }, desired);
  const { corrects } = desired;
  const run = { target: opened, deployment, request, does: "deploy", corrects } as const;
  const outcome = await withLock(world, { ...run, planBeforeLock }, async (context) =>
    executePlan(world, context, await loadCurrentRelease(world, target, deployment, true)),
  );
  if (outcome.type === "superseded") return { type: "superseded", drift, why: outcome.why };
  // Another run can have corrected the drift while this run waited for the lock.
  const isClean = !changesCluster(outcome.plan) && outcome.result.succeeded;
  return isClean ? { type: "clean", drift } : { type: "corrected", drift, outcome };
}
