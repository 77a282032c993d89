import type { Limits } from "../apply/run.ts";
import type { ApprovedPlans } from "../model/approval.ts";
import type { Stage } from "../model/compilation.ts";
import type { Deployment } from "../model/deployment.ts";
import { catchProblems, UserError } from "../model/errors.ts";
import type { PlanPolicy } from "../model/plan.ts";
import { distinct } from "../model/problem.ts";
import type { CommitOrder } from "../planning/check-commit-order.ts";
import { missingRights } from "../planning/missing-rights.ts";
import type { PlannedDeployment } from "../planning/plan-deployment.ts";
import type { DeploymentLock } from "../ports/kubernetes.ts";
import type { LockOptions, Target, World } from "../ports/world.ts";

export interface DeployOptions {
  readonly limits: Limits;
  readonly policy: PlanPolicy;
  /** Wait for another run of this deployment to end, instead of failing. */
  readonly waitForLock: boolean;
  /** How many of the newest releases stay recorded; undefined for as many as usual. */
  readonly keepReleases?: number | undefined;
  /** What was approved, and what is done with a plan that is not; undefined where none is needed. */
  readonly expected?: ApprovedPlans | undefined;
  /** Deploy this stage alone, and leave the other one as it is. */
  readonly onlyStage?: Stage | undefined;
  /** Take over a deployment that was last deployed from another config or repository. */
  readonly adopt: boolean;
  /** What is done about a commit that is older than the one that runs; undefined refuses it. */
  readonly whenOlder?: CommitOrder["whenOlder"] | undefined;
  /** For a rollback: take also a release that failed. */
  readonly allowFailed?: boolean | undefined;
  /** For a rollback: believe the record also for what is cluster-wide or in another namespace. */
  readonly allowOutsideNamespace?: boolean | undefined;
}

export interface DeployRequest {
  readonly target: Promise<Target>;
  readonly deployment: Deployment;
  readonly options: DeployOptions;
  /** What would be done, asked without the lock: what else stands in the way is told with the rights that are missing. */
  planBeforeLock(): Promise<PlannedDeployment>;
  /** Where the namespace of the lock does not exist: whether it does by now. */
  readonly createNamespace?: LockOptions["createNamespace"];
}

export interface DeployContext {
  readonly target: Target;
  readonly lock: DeploymentLock;
  readonly deployment: Deployment;
  readonly options: DeployOptions;
}

/** Takes the lock first, so that what is planned cannot be changed by another run before it is done. */
export async function withLock<T>(
  world: World,
  request: DeployRequest,
  work: (context: DeployContext) => Promise<T>,
): Promise<T> {
  const { deployment, options, createNamespace } = request;
  const target = await request.target;
  await refuseWithoutRights(target, request);
  const lock = await target.lock({
    deployment: deployment.name,
    namespace: deployment.namespace,
    wait: options.waitForLock,
    signal: world.signal,
    createNamespace,
    onWaiting: (holder) => world.progress(deployment).report({ type: "lock-waiting", holder }),
  });
  try {
    return await work({ target, lock, deployment, options });
  } finally {
    const kept = await lock.release();
    if (kept !== undefined) world.progress(deployment).report({ type: "lock-kept", why: kept });
  }
}

/** The lock is the first thing that is written. Throws a UserError with everything that is missing by then. */
async function refuseWithoutRights(
  { cluster }: Target,
  { deployment, planBeforeLock }: DeployRequest,
): Promise<void> {
  const missing = await missingRights(cluster, deployment);
  if (missing.length === 0) return;
  const planned = await catchProblems(planBeforeLock);
  // Where not even the releases can be read, that is among what is missing.
  const others =
    planned.ok && !planned.value.executable && planned.value.recorded !== undefined
      ? planned.value.blockers
      : [];
  throw new UserError(distinct([...missing.map(({ problem }) => problem), ...others]));
}
