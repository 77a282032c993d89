import type { PlanningRequest } from "../model/deployments/deploy-request.ts";
import type { Deployment } from "../model/deployments/deployment.ts";
import type { ReleaseSource } from "../model/deployments/release.ts";
import type { ApprovedPlans } from "../model/plan/approval.ts";
import type { Plan, PlannedOperation } from "../model/plan/plan.ts";
import { compareWithApproved } from "../plan/approval/compare-with-approved.ts";
import type { CheckResult } from "../planning/checks/check-result.ts";
import type { PlanningContext } from "../planning/planning-context.ts";
import type { TargetCluster, World } from "../ports/world.ts";
import { describeAgreement } from "../report/plans/plan-difference.ts";
import type { DeployContext } from "./with-lock.ts";

/**
 * Returns the context for a plan without the lock. The plan also checks whether the run could take
 * the lock.
 */
export async function contextBeforeLock(
  world: World,
  target: TargetCluster,
  deployment: Deployment,
  request: PlanningRequest,
): Promise<PlanningContext> {
  const { name, namespace } = deployment;
  const dryRunLock = () => target.dryRunLock({ deployment: name, namespace });
  const common = await commonContext(world, deployment, request);
  return { ...common, cluster: target.cluster, dryRuns: "all", dryRunLock };
}

/**
 * Returns the context for a plan under the lock, which is executed next. An approved plan came from
 * a preview with dry runs of all objects, so the comparison needs them too. The same applies to
 * `require: reversible`: the preview and the deployment must decide alike.
 */
export async function contextUnderLock(
  world: World,
  { lock, deployment, request }: DeployContext,
): Promise<PlanningContext> {
  const { expected } = request;
  const isCompared = expected !== undefined && !isNoticeOnly(expected);
  const dryRuns = isCompared || deployment.require === "reversible" ? "all" : "needed";
  const common = await commonContext(world, deployment, request);
  return {
    ...common,
    ...{ cluster: lock.cluster, dryRuns, dryRunLock: undefined, predictsRollback: true },
  };
}

/** Reports whether the plan is executed without any approval, whatever it contains. */
function isNoticeOnly({ policy, approvals }: ApprovedPlans): boolean {
  return policy === "warn" && approvals.length === 0;
}

async function commonContext(world: World, deployment: Deployment, request: PlanningRequest) {
  const { compareCommits, listing, compress, decompress, hash } = world;
  const now = world.clock.now().toISOString();
  const { declaredElsewhere } = world;
  return {
    ...(declaredElsewhere === undefined
      ? {}
      : { declaredElsewhere: () => declaredElsewhere(deployment) }),
    ...{ request, deployment, compareCommits, listing, compress, decompress, hash },
    source: await releaseSource(world, deployment),
    now,
    checkPlan: createApprovalCheck(request.expected),
    purpose: "deploy" as const,
    timeoutMs: request.limits.timeoutMs,
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

/** Returns the approval check for planning; undefined if no approval is needed. */
function createApprovalCheck(approved: ApprovedPlans | undefined): PlanningContext["checkPlan"] {
  return approved && ((plan, restores) => checkApproval(plan, approved, restores));
}

/**
 * Compares a plan with the approved one. Returns the error that blocks an unapproved plan, or
 * notices about the differences.
 */
export function checkApproval(
  plan: Plan,
  approved: ApprovedPlans,
  restores: (operation: PlannedOperation) => boolean,
): CheckResult {
  const agreement = compareWithApproved(plan, approved, restores);
  const difference = describeAgreement(agreement, plan, approved);
  const problems = difference === undefined ? [] : [difference];
  const isBlocked = agreement.type === "other" && approved.policy === "require";
  return isBlocked ? { blockers: problems, notices: [] } : { blockers: [], notices: problems };
}
