import type { LockRun } from "../model/cluster/deployment-lock.ts";
import type { DeployRequest } from "../model/deployments/deploy-request.ts";
import type { Deployment } from "../model/deployments/deployment.ts";
import type { Release } from "../model/deployments/release.ts";
import type { Plan } from "../model/plan/plan.ts";
import { catchProblems, UserError } from "../model/problems/errors.ts";
import { checkFreeze } from "../planning/checks/check-freeze.ts";
import type { DesiredState } from "../planning/desired-state.ts";
import type { PermissionCommand } from "../planning/permissions/permission.ts";
import type { PlannedDeployment } from "../planning/planned-deployment.ts";
import type { DeploymentLock } from "../ports/kubernetes.ts";
import type { LockOptions, TargetCluster, World } from "../ports/world.ts";
import { releaseSource } from "./create-planning-context.ts";
import {
  findPermissionGaps,
  hasPermissionGaps,
  permissionBlockers,
} from "./permissions-before-lock.ts";
import { createYieldRules } from "./yield-rules.ts";

/** Called after a release is recorded, before its first change. It must not throw or block. */
export type Announce = (release: Release, plan: Plan) => void;

/** A run under the lock of its deployment. */
export interface LockedRun {
  readonly target: Promise<TargetCluster>;
  readonly deployment: Deployment;
  readonly request: DeployRequest;
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
  readonly announce?: Announce | undefined;
}

export interface DeployContext {
  readonly target: TargetCluster;
  readonly lock: DeploymentLock;
  readonly deployment: Deployment;
  readonly request: DeployRequest;
  readonly announce?: Announce | undefined;
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
  const { deployment, request, does, createNamespace, announce } = run;
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
    request.onlyStage === undefined && does !== "delete"
      ? createYieldRules(does, source, world.compareCommits, canDeploy)
      : undefined;
  const lock = await target.lock({
    deployment: deployment.name,
    namespace: deployment.namespace,
    wait: request.waitForLock,
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
    return await work({ target, lock, deployment, request, announce, endLock });
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
  { deployment, request }: LockedRun,
): Promise<void> {
  const now = clock.now().toISOString();
  const context = { cluster, deployment, purpose: "deploy", now, request } as const;
  const { blockers } = await checkFreeze(context);
  if (blockers.length > 0) throw new UserError(blockers);
}

/**
 * Throws a UserError with all missing permissions. It runs before the lock, which is the first
 * write.
 */
async function requirePermissions({ cluster }: TargetCluster, run: LockedRun): Promise<void> {
  const { deployment, planBeforeLock, request } = run;
  const command: PermissionCommand = run.corrects === undefined ? run.does : "reconcile";
  const read = await catchProblems(async () => run.desired?.());
  const desired = read.ok ? read.value : undefined;
  const check = { cluster, deployment, command, request, health: desired?.input.health };
  const gaps = await findPermissionGaps(check, desired?.manifests ?? []);
  if (!hasPermissionGaps(gaps)) return;
  const planned = await catchProblems(planBeforeLock);
  throw new UserError(permissionBlockers(gaps, check, planned.ok ? planned.value : undefined));
}
