import type { ApprovedPlans } from "../model/approval.ts";
import type { Deployment } from "../model/deployment.ts";
import type { ReleaseSource } from "../model/release.ts";
import type { CommitOrder } from "../planning/checks/check-commit-order.ts";
import type { PlanningContext } from "../planning/planning-context.ts";
import type { Target, World } from "../ports/world.ts";
import { checkerOf } from "./check-approved.ts";
import type { DeployContext, DeployOptions } from "./with-lock.ts";

type Rules = Pick<
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
  | "earlier"
  | "overrideFreeze"
>;

/** How a plan is made without the lock: also by asking whether it could be taken. */
export async function contextBeforeLock(
  world: World,
  target: Target,
  deployment: Deployment,
  rules: Rules,
): Promise<PlanningContext> {
  const { name, namespace } = deployment;
  const tryLock = () => target.tryLock({ deployment: name, namespace });
  return { ...(await common(world, deployment)), ...rules, cluster: target.cluster, tryLock };
}

/** How a plan is made under the lock, to be executed next. */
export async function contextUnderLock(
  world: World,
  { lock, deployment, options }: DeployContext,
): Promise<PlanningContext> {
  return {
    ...(await common(world, deployment)),
    ...rulesOf(world, options, "needed"),
    cluster: lock.cluster,
    tryLock: undefined,
  };
}

/** Who approved a plan saw what a preview predicts, and a preview asks about every object. */
export function rulesOf(world: World, options: DeployOptions, dryRuns: "all" | "needed"): Rules {
  const { policy, adopt, allowOutsideNamespace = false, onlyStage, expected, limits } = options;
  const { allowIrreversible } = options;
  return {
    allowIrreversible,
    policy,
    adopt,
    allowOutsideNamespace,
    onlyStage,
    checkPlan: checkerOf(expected),
    purpose: "deploy",
    dryRuns: expected === undefined || isOnlyTold(expected) ? dryRuns : "all",
    concurrency: limits.concurrency,
    timeoutMs: limits.timeoutMs,
    order: orderOf(world, options.whenOlder, options.listing),
    overrideFreeze: options.overrideFreeze,
  };
}

/** Whatever the plan is, nobody has approved it, and it is carried out. */
function isOnlyTold({ policy, approvals }: ApprovedPlans): boolean {
  return policy === "warn" && approvals.length === 0;
}

/** How the commit to deploy is compared with the one that runs. Who says nothing is refused an older one. */
export function orderOf(
  { relationOf }: World,
  whenOlder: CommitOrder["whenOlder"] = "refuse",
  listing: CommitOrder["listing"] = undefined,
): CommitOrder {
  return { whenOlder, relationOf, listing };
}

async function common(world: World, deployment: Deployment) {
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
 * Where a release of this deployment comes from when it is made here: from what is checked out, which is what is read, whatever
 * commit an event is about.
 */
export async function releaseSource(
  { origin, repository, source }: Pick<World, "origin" | "repository" | "source">,
  { config }: Deployment,
): Promise<ReleaseSource> {
  const remote = repository?.origin();
  const commit = (await repository?.resolve("HEAD")) ?? origin.commit;
  const canDiffer = source.isWorkTree === true && commit !== undefined;
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
