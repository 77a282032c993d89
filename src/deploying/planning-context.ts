import type { ApprovedPlans } from "../model/approval.ts";
import type { DeployRequest, PlanningRequest } from "../model/deploy-request.ts";
import type { Deployment } from "../model/deployment.ts";
import type { ReleaseSource } from "../model/release.ts";
import type { CommitOrder } from "../planning/checks/check-commit-order.ts";
import type { PlanningContext } from "../planning/planning-context.ts";
import type { TargetCluster, World } from "../ports/world.ts";
import { createApprovalCheck } from "./check-approval.ts";
import type { DeployContext } from "./with-lock.ts";

type PlanningRules = Pick<
  PlanningContext,
  | "policy"
  | "adopt"
  | "allowOutsideNamespace"
  | "allowIrreversible"
  | "onlyStage"
  | "checkPlan"
  | "purpose"
  | "dryRuns"
  | "concurrency"
  | "timeoutMs"
  | "order"
  | "isChangedHere"
  | "upstream"
  | "overrideFreeze"
>;

/**
 * Returns the context for a plan without the lock. The plan also checks whether the run could take
 * the lock.
 */
export async function contextBeforeLock(
  world: World,
  target: TargetCluster,
  deployment: Deployment,
  rules: PlanningRules,
): Promise<PlanningContext> {
  const { name, namespace } = deployment;
  const dryRunLock = () => target.dryRunLock({ deployment: name, namespace });
  return {
    ...(await commonContext(world, deployment)),
    ...rules,
    cluster: target.cluster,
    dryRunLock,
  };
}

/** Returns the context for a plan under the lock, which is executed next. */
export async function contextUnderLock(
  world: World,
  { lock, deployment, request }: DeployContext,
): Promise<PlanningContext> {
  return {
    ...(await commonContext(world, deployment)),
    ...planningRules(world, request, "needed"),
    cluster: lock.cluster,
    dryRunLock: undefined,
  };
}

/**
 * Returns the rules of a run's plan. An approved plan came from a preview with dry runs of all
 * objects, so the comparison needs them too.
 */
export function planningRules(
  world: World,
  request: DeployRequest,
  dryRuns: "all" | "needed",
): PlanningRules {
  const { policy, adopt, allowOutsideNamespace, onlyStage, expected, limits } = request;
  const { allowIrreversible } = request;
  return {
    allowIrreversible,
    policy,
    adopt,
    allowOutsideNamespace,
    onlyStage,
    checkPlan: createApprovalCheck(expected),
    purpose: "deploy",
    dryRuns: expected === undefined || isNoticeOnly(expected) ? dryRuns : "all",
    concurrency: limits.concurrency,
    timeoutMs: limits.timeoutMs,
    order: commitOrder(world, request.whenOlder),
    overrideFreeze: request.overrideFreeze,
  };
}

/** Reports whether the plan is executed without any approval, whatever it contains. */
function isNoticeOnly({ policy, approvals }: ApprovedPlans): boolean {
  return policy === "warn" && approvals.length === 0;
}

/**
 * Returns the rules for comparing the commit with the current release; undefined if none is
 * compared.
 */
export function commitOrder(
  { compareCommits, listing }: World,
  whenOlder: PlanningRequest["whenOlder"],
): CommitOrder | undefined {
  return whenOlder && { whenOlder, compareCommits, listing };
}

async function commonContext(world: World, deployment: Deployment) {
  const { compress, decompress, hash } = world;
  const now = world.clock.now().toISOString();
  return {
    deployment,
    source: await releaseSource(world, deployment),
    now,
    compress,
    decompress,
    hash,
  };
}

/**
 * Returns the source of a release that this run creates. It is the checkout, whatever the commit of
 * the event is.
 */
export async function releaseSource(
  { origin, repository, source }: Pick<World, "origin" | "repository" | "source">,
  { config }: Deployment,
): Promise<ReleaseSource> {
  const remote = repository?.origin();
  const commit = (await repository?.resolve("HEAD")) ?? origin.commit;
  const canDiffer = source.isWorkingTree === true && commit !== undefined;
  const isChanged = canDiffer && (await repository?.hasUncommittedChanges());
  const uncommitted = isChanged === true ? { uncommitted: true as const } : {};
  return {
    ...origin,
    commit,
    ...uncommitted,
    repository: await remote,
    config: config || undefined,
  };
}
