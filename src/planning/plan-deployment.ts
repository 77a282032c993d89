import type { Problem } from "../model/problems/problem.ts";
import { findUnservedVersions, replaceUnknownKinds } from "./checks/check-rollback.ts";
import { decidePlan } from "./decide-plan.ts";
import { deletionBasis } from "./deletion-basis.ts";
import { withDeletionHooks, withHookAdvice } from "./deletion-hooks.ts";
import { type DesiredState, isFromCommit, rollbackTarget } from "./desired-state.ts";
import { hideLiveSecrets } from "./hide-live-secrets.ts";
import { withRolesAdvice } from "./permissions/find-denied-permissions.ts";
import { plannedCommand } from "./permissions/required-permissions.ts";
import { type PlanContext, readPlanContext } from "./plan-context.ts";
import { blockedPlan, type PlannedDeployment, scrubTexts } from "./planned-deployment.ts";
import { isReadByUser, type PlanningContext } from "./planning-context.ts";
import { type PlanBasis, preparePlan } from "./prepare-plan.ts";
import { projectedCluster } from "./projected-cluster.ts";
import { needsPrediction, previewRollback } from "./rollback/preview-rollback.ts";
import { rememberAnswers } from "./rollback/remember-answers.ts";
import { withRollback } from "./rollback/with-rollback.ts";

/**
 * Makes the plan for every preview, deployment, dry run and rollback; no other function does.
 * It reads the cluster, sends dry runs, decides, and reports everything that blocks the deployment.
 * It writes nothing.
 */
export async function planDeployment(
  given: PlanningContext,
  desired: DesiredState,
): Promise<PlannedDeployment> {
  if (given.predictsRollback !== true || !isFromCommit(desired)) return planOnce(given, desired);
  const memory = rememberAnswers(given.cluster);
  const planned = await planOnce({ ...given, cluster: memory.asking }, desired);
  if (!planned.executable) return planned;
  const isRequired = given.deployment.require === "reversible";
  // A deployment without a requirement must not cost more if a rollback restores everything.
  if (!isReadByUser(given) && !isRequired && !needsPrediction(planned.plan)) return planned;
  const rollback = await previewRollback(given, { planned, desired, memory }, planOnce);
  return rollback === undefined ? planned : withRollback(planned, rollback, given, desired);
}

/** Makes one plan, without the plan of its rollback. */
async function planOnce(given: PlanningContext, desired: DesiredState): Promise<PlannedDeployment> {
  const context = { ...given, cluster: projectedCluster(given.cluster, given.upstream) };
  const made = await makePlan(context, desired);
  const scrubbed = scrubTexts(made.planned, made.hides ?? []);
  const planned = hideLiveSecrets(scrubbed, desired.manifests, isFromCommit(desired));
  if (planned.executable) return planned;
  return { ...planned, blockers: planned.blockers.map(withRoles(context, desired)) };
}

/** Returns a plan with the strings that it must not show, such as those of recorded hooks. */
async function makePlan(
  context: PlanningContext,
  given: DesiredState,
): Promise<{ readonly planned: PlannedDeployment } & Pick<DesiredState, "hides">> {
  const read = await readPlanContext(context, given);
  if (!read.ok) return { planned: read.ends, hides: given.hides };
  const desired = withDeletionHooks(given, read.value.recorded, context);
  const basis = withBlockers(read.value, desired === given ? [] : desired.unsupported);
  const prepared = await preparePlan(context.cluster, toPlanBasis(context, desired, basis));
  if (!prepared.ok) {
    const unserved = await findUnservedVersions(
      context.cluster,
      desired.manifests,
      rollbackTarget(desired),
    );
    const problems = replaceUnknownKinds(prepared.problems, unserved);
    const blocked = blockedPlan(undefined, basis.recorded, basis.blockers, problems);
    const planned = { ...withHookAdvice(blocked, desired), findings: unserved };
    return { planned, hides: desired.hides };
  }
  const decided = await decidePlan(context, desired, basis, prepared.value);
  return { planned: withHookAdvice(decided, desired), hides: desired.hides };
}

function withBlockers(basis: PlanContext, more: readonly Problem[]): PlanContext {
  return more.length === 0 ? basis : { ...basis, blockers: [...basis.blockers, ...more] };
}

function toPlanBasis(
  context: PlanningContext,
  desired: DesiredState,
  basis: PlanContext,
): PlanBasis {
  const { recorded, otherSource } = basis;
  const { request, purpose, dryRuns, upstream, hash } = context;
  const { adopt, onlyStage, limits } = request;
  const { rules, inventory, history } = deletionBasis(context, desired, recorded, otherSource);
  return {
    rules: {
      ...rules,
      ...{ adopt, onlyStage, purpose, dryRuns, upstream, hash },
      recorded: basis.isFromRecord,
      release: desired.rollbackOf,
      isOtherSource: otherSource !== undefined,
      hides: desired.hides,
      checks: desired.checks,
      capabilities: desired.capabilities,
      health: desired.input.health,
      // A correction runs no checks, so it must not delete their Jobs either.
      hasCheckJobs:
        desired.corrects === undefined && [desired, ...recorded.releases].some(hasCheckJob),
      corrects: desired.corrects !== undefined,
    },
    manifests: desired.manifests,
    // A record declares no objects that could have moved to another deployment.
    declaredElsewhere: isFromCommit(desired) ? context.declaredElsewhere : undefined,
    concurrency: limits.concurrency,
    ...{ inventory, history },
  };
}

function hasCheckJob({ checks = [] }: Pick<DesiredState, "checks">): boolean {
  return checks.some(({ type }) => type === "job");
}

/** Adds the command that prints the roles to each missing permission. */
function withRoles(context: PlanningContext, desired: DesiredState): (told: Problem) => Problem {
  const { name } = context.deployment;
  const command = plannedCommand(context, desired);
  return (problem) => withRolesAdvice(problem, command, name);
}
