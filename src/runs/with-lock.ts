import type { Limits } from "../apply/run.ts";
import type { ApprovedPlans } from "../model/approval.ts";
import type { LockRun } from "../model/cluster/lock-run.ts";
import type { Stage } from "../model/compilation.ts";
import type { Deployment } from "../model/deployment.ts";
import type { Plan, PlanPolicy } from "../model/plan.ts";
import { catchProblems, UserError } from "../model/problems/errors.ts";
import type { Release } from "../model/release.ts";
import type { CommitOrder } from "../planning/checks/check-commit-order.ts";
import { checkFreeze } from "../planning/checks/check-freeze.ts";
import type { DesiredState } from "../planning/desired-state.ts";
import type { PlannedDeployment } from "../planning/planned-deployment.ts";
import type { RightsCommand } from "../planning/rights/right.ts";
import type { DeploymentLock } from "../ports/kubernetes.ts";
import type { LockOptions, Target, World } from "../ports/world.ts";
import { giveWayRules } from "./give-way.ts";
import { releaseSource } from "./planning-context.ts";
import { isLacking, problemsOfRights, rightsBeforeLock } from "./rights-before-lock.ts";

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
  /** What the newest commit of the branch says of a deployment; undefined where no branch is deployed. */
  readonly listing?: CommitOrder["listing"];
  /** Told of a release once it is recorded, before its first change. Must neither throw nor take time. */
  readonly announce?: ((release: Release, plan: Plan) => void) | undefined;
  /** What becomes of what a deployment has changed that has failed by itself; undefined keeps it. */
  readonly onFailure?: "keep" | "rollback" | undefined;
  /** The freeze that does not hold for this run, by its id. */
  readonly overrideFreeze?: string | undefined;
  /** For a rollback: take also a release that failed. */
  readonly allowFailed?: boolean | undefined;
  /** For a rollback: believe the record also for what is cluster-wide or in another namespace. */
  readonly allowOutsideNamespace?: boolean | undefined;
  /** For a rollback: also where something of the release can't be brought back. */
  readonly allowIrreversible?: boolean | undefined;
}

export interface DeployRequest {
  readonly target: Promise<Target>;
  readonly deployment: Deployment;
  readonly options: DeployOptions;
  /** What would be done, asked without the lock: what else stands in the way is told with the rights that are missing. */
  planBeforeLock(): Promise<PlannedDeployment>;
  /** What is to be there, as far as that can be told; undefined where nothing is. */
  readonly desired?: (() => Promise<DesiredState>) | undefined;
  readonly does: LockRun["does"] | "delete";
  /** Set where this release is put right: whoever has the lock does something newer, so it is never asked to give way. */
  readonly corrects?: Pick<Release, "source"> | undefined;
  /** Where the namespace of the lock does not exist: whether it does by now. */
  readonly createNamespace?: LockOptions["createNamespace"];
}

export interface DeployContext {
  readonly target: Target;
  readonly lock: DeploymentLock;
  readonly deployment: Deployment;
  readonly options: DeployOptions;
  /** The key of what this run has created before it took the lock: the namespace of the releases. */
  readonly begun?: string | undefined;
  /** The deployment is no more: its lock is not to be left behind. */
  endLock(): void;
}

/** Takes the lock first, so that what is planned cannot be changed by another run before it is done. */
export async function withLock<T>(
  world: World,
  request: DeployRequest,
  work: (context: DeployContext) => Promise<T>,
): Promise<T> {
  const { deployment, options, does, createNamespace } = request;
  const target = await request.target;
  await refuseWithoutRights(target, request);
  await refuseWhileFrozen(world, target, request);
  const { corrects } = request;
  const source = corrects?.source ?? (await releaseSource(world, deployment));
  let isLast = false;
  const couldDeploy = once(async () => {
    if (corrects !== undefined) return false;
    const planned = await catchProblems(request.planBeforeLock);
    return planned.ok && planned.value.executable;
  });
  // One stage alone is no substitute for the run of both that it would interrupt, and the other way round. Nothing interrupts a
  // deletion, and it interrupts nothing.
  const giveWay =
    options.onlyStage === undefined && does !== "delete"
      ? giveWayRules(does, source, world.relationOf, couldDeploy)
      : undefined;
  const lock = await target.lock({
    deployment: deployment.name,
    namespace: deployment.namespace,
    wait: options.waitForLock,
    signal: world.signal,
    createNamespace,
    giveWay,
    onWaiting: (holder) => world.progress(deployment).report({ type: "lock-waiting", holder }),
    onAsked: (holder) => world.progress(deployment).report({ type: "lock-asked", holder }),
  });
  try {
    const endLock = () => {
      isLast = true;
    };
    return await work({ target, lock, deployment, options, endLock });
  } finally {
    const kept = await lock.release(isLast ? "delete" : "free");
    if (kept !== undefined) world.progress(deployment).report({ type: "lock-kept", why: kept });
  }
}

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

/** The lock would be the first write. Throws a UserError; under the lock it is looked at again. */
async function refuseWhileFrozen(
  { clock }: World,
  { cluster }: Target,
  { deployment, options: { overrideFreeze } }: DeployRequest,
): Promise<void> {
  const now = clock.now().toISOString();
  const context = { cluster, deployment, purpose: "deploy", now, overrideFreeze } as const;
  const { blockers } = await checkFreeze(context);
  if (blockers.length > 0) throw new UserError(blockers);
}

/** The lock is the first thing that is written. Throws a UserError with everything that is missing by then. */
async function refuseWithoutRights({ cluster }: Target, request: DeployRequest): Promise<void> {
  const { deployment, planBeforeLock, options } = request;
  const command: RightsCommand = request.corrects === undefined ? request.does : "reconcile";
  const { concurrency } = options.limits;
  const desired = await catchProblems(async () => (await request.desired?.())?.manifests ?? []);
  const asked = { cluster, deployment, command, concurrency };
  const lacked = await rightsBeforeLock(asked, desired.ok ? desired.value : []);
  if (!isLacking(lacked)) return;
  const planned = await catchProblems(planBeforeLock);
  throw new UserError(problemsOfRights(lacked, asked, planned.ok ? planned.value : undefined));
}
