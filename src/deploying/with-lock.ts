import type { ApprovedPlans } from "../model/approval.ts";
import type { LockRun } from "../model/cluster/deployment-lock.ts";
import type { Stage } from "../model/compilation.ts";
import type { Limits } from "../model/deploy-request.ts";
import type { Deployment } from "../model/deployment.ts";
import type { Plan, PlanPolicy } from "../model/plan.ts";
import { catchProblems, UserError } from "../model/problems/errors.ts";
import type { Release } from "../model/release.ts";
import type { CommitOrder } from "../planning/checks/check-commit-order.ts";
import { checkFreeze } from "../planning/checks/check-freeze.ts";
import type { DesiredState } from "../planning/desired-state.ts";
import type { PermissionCommand } from "../planning/permissions/permission.ts";
import type { PlannedDeployment } from "../planning/planned-deployment.ts";
import type { DeploymentLock } from "../ports/kubernetes.ts";
import type { LockOptions, TargetCluster, World } from "../ports/world.ts";
import {
  findPermissionGaps,
  hasPermissionGaps,
  permissionBlockers,
} from "./permissions-before-lock.ts";
import { releaseSource } from "./planning-context.ts";
import { createYieldRules } from "./yield-rules.ts";

export interface DeployOptions {
  readonly limits: Limits;
  readonly policy: PlanPolicy;
  /** True to wait for another run of this deployment; false to fail. */
  readonly waitForLock: boolean;
  /** The number of newest releases to keep; undefined for the default. */
  readonly keepReleases?: number | undefined;
  /** The approvals, and the policy for a plan without one; undefined if no approval is needed. */
  readonly expected?: ApprovedPlans | undefined;
  /** The only stage to deploy. The other one stays unchanged. */
  readonly onlyStage?: Stage | undefined;
  /** True to adopt a deployment that was last deployed from another config or repository. */
  readonly adopt: boolean;
  /**
   * The policy for a commit that is older than the current release; undefined makes it an error.
   */
  readonly whenOlder?: CommitOrder["whenOlder"] | undefined;
  /**
   * Reads the deployment in the newest commit of the branch; undefined if no branch is deployed.
   */
  readonly listing?: CommitOrder["listing"];
  /** Called after a release is recorded, before its first change. It must not throw or block. */
  readonly announce?: ((release: Release, plan: Plan) => void) | undefined;
  /** The action after a failed deployment; undefined keeps its changes. */
  readonly onFailure?: "keep" | "rollback" | undefined;
  /** The id of the freeze that this run overrides. */
  readonly overrideFreeze?: string | undefined;
  /** True if a rollback can restore a failed release. */
  readonly allowFailed?: boolean | undefined;
  /**
   * True if a rollback or a correction can restore objects that are cluster-scoped or in other
   * namespaces, as recorded.
   */
  readonly allowOutsideNamespace?: boolean | undefined;
  /** True if a rollback or a correction continues although it can't restore everything. */
  readonly allowIrreversible?: boolean | undefined;
}

/** A run under the lock of its deployment. */
export interface LockedRun {
  readonly target: Promise<TargetCluster>;
  readonly deployment: Deployment;
  readonly options: DeployOptions;
  /**
   * Returns the plan without the lock. Its errors are reported together with missing permissions.
   */
  planBeforeLock(): Promise<PlannedDeployment>;
  /**
   * Returns the desired state. qvs checks the permissions for its kinds before the lock. Undefined
   * for a deletion or a correction.
   */
  readonly desired?: (() => Promise<DesiredState>) | undefined;
  readonly does: LockRun["does"] | "delete";
  /**
   * The release that a correction restores. A correction never asks the holder of the lock to
   * yield, because the holder does something newer.
   */
  readonly corrects?: Pick<Release, "source"> | undefined;
  /** Creates the missing namespace of the lock, and reports whether it exists now. */
  readonly createNamespace?: LockOptions["createNamespace"];
}

export interface DeployContext {
  readonly target: TargetCluster;
  readonly lock: DeploymentLock;
  readonly deployment: Deployment;
  readonly options: DeployOptions;
  /**
   * The key of the object that this run created before it took the lock: the namespace of the
   * releases.
   */
  readonly createdBeforeLock?: string | undefined;
  /** Marks the deployment as deleted, so that its lock is deleted too. */
  endLock(): void;
}

/**
 * Runs the work under the lock. It takes the lock before planning, so that no other run can change
 * the plan's basis.
 */
export async function withLock<T>(
  world: World,
  run: LockedRun,
  work: (context: DeployContext) => Promise<T>,
): Promise<T> {
  const { deployment, options, does, createNamespace } = run;
  const target = await run.target;
  await requirePermissions(target, run);
  await requireNoFreeze(world, target, run);
  const { corrects } = run;
  const source = corrects?.source ?? (await releaseSource(world, deployment));
  let isLast = false;
  const canDeploy = once(async () => {
    if (corrects !== undefined) return false;
    const planned = await catchProblems(run.planBeforeLock);
    return planned.ok && planned.value.executable;
  });
  // A run of one stage doesn't replace a run of both stages, and the reverse is true as well. A
  // deletion neither interrupts another run nor is interrupted.
  const yieldRules =
    options.onlyStage === undefined && does !== "delete"
      ? createYieldRules(does, source, world.compareCommits, canDeploy)
      : undefined;
  const lock = await target.lock({
    deployment: deployment.name,
    namespace: deployment.namespace,
    wait: options.waitForLock,
    signal: world.signal,
    createNamespace,
    yieldRules,
    onWaiting: (holder) => world.progress(deployment).report({ type: "lock-waiting", holder }),
    onYieldRequested: (holder) => world.progress(deployment).report({ type: "lock-asked", holder }),
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

/**
 * Throws a UserError during a freeze. It runs before the lock, which is the first write. The freeze
 * is checked again under the lock.
 */
async function requireNoFreeze(
  { clock }: World,
  { cluster }: TargetCluster,
  { deployment, options: { overrideFreeze } }: LockedRun,
): Promise<void> {
  const now = clock.now().toISOString();
  const context = { cluster, deployment, purpose: "deploy", now, overrideFreeze } as const;
  const { blockers } = await checkFreeze(context);
  if (blockers.length > 0) throw new UserError(blockers);
}

/**
 * Throws a UserError with all missing permissions. It runs before the lock, which is the first
 * write.
 */
async function requirePermissions({ cluster }: TargetCluster, run: LockedRun): Promise<void> {
  const { deployment, planBeforeLock, options } = run;
  const command: PermissionCommand = run.corrects === undefined ? run.does : "reconcile";
  const { concurrency } = options.limits;
  const desired = await catchProblems(async () => (await run.desired?.())?.manifests ?? []);
  const check = { cluster, deployment, command, concurrency };
  const gaps = await findPermissionGaps(check, desired.ok ? desired.value : []);
  if (!hasPermissionGaps(gaps)) return;
  const planned = await catchProblems(planBeforeLock);
  throw new UserError(permissionBlockers(gaps, check, planned.ok ? planned.value : undefined));
}
