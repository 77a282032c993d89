import type { Limits } from "../apply/run.ts";
import type { Stage } from "../model/compilation.ts";
import type { Deployment } from "../model/deployment.ts";
import type { PlanPolicy } from "../model/plan.ts";
import type { DeploymentLock } from "../ports.ts";
import type { ExpectedPlan } from "../report/plan-difference.ts";
import type { Target, World } from "./world.ts";

export interface DeployOptions {
  readonly limits: Limits;
  readonly policy: PlanPolicy;
  /** Wait for another run of this deployment to end, instead of failing. */
  readonly waitForLock: boolean;
  /** How many of the newest releases stay recorded; undefined for as many as usual. */
  readonly keepReleases?: number | undefined;
  /** The plan that was approved; another one is not carried out. */
  readonly expected?: ExpectedPlan | undefined;
  /** Deploy this stage alone, and leave the other one as it is. */
  readonly onlyStage?: Stage | undefined;
  /** Take over a deployment that was last deployed from another config or repository. */
  readonly adopt: boolean;
}

export interface DeployRequest {
  readonly target: Promise<Target>;
  readonly deployment: Deployment;
  readonly options: DeployOptions;
}

export interface DeployContext {
  readonly target: Target;
  readonly lock: DeploymentLock;
  readonly deployment: Deployment;
  readonly options: DeployOptions;
}

/** Takes the lock first, so that what is planned cannot be changed by another run before it is done. */
export async function underLock<T>(
  world: World,
  request: DeployRequest,
  work: (context: DeployContext) => Promise<T>,
): Promise<T> {
  const { deployment, options } = request;
  const target = await request.target;
  const lock = await target.lock({
    deployment: deployment.name,
    namespace: deployment.namespace,
    wait: options.waitForLock,
    signal: world.signal,
    onWaiting: (holder) => world.progress(deployment).report({ type: "lock-waiting", holder }),
  });
  try {
    return await work({ target, lock, deployment, options });
  } finally {
    await lock.release();
  }
}
