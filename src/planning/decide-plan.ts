import type { LockStatus } from "../model/cluster/deployment-lock.ts";
import type { ReleasedManifest } from "../model/deployments/release.ts";
import type { Plan } from "../model/plan/plan.ts";
import type { Finding } from "../model/problems/finding.ts";
import type { Problem } from "../model/problems/problem.ts";
import { listFixes } from "../model/problems/problem-text.ts";
import { createRestoreCheck } from "../plan/approval/compare-with-approved.ts";
import { toReleased } from "../plan/declared/declare-objects.ts";
import type { DeclaredObject } from "../plan/declared/objects.ts";
import { nameCollisions } from "../plan/ownership/name-collisions.ts";
import { recordedPermissionProblems } from "../plan/record-restrictions.ts";
import { forecastRollouts } from "../preflight/rollouts/forecast-rollouts.ts";
import { deletesDependents } from "../preflight/rules/deletes-dependents.ts";
import { noticeToFinding } from "../preflight/rules/missing-permission.ts";
import { liveInventory } from "../releases/inventory.ts";
import type { RecordedReleases } from "../releases/store.ts";
import { type NextPlan, unfinishedRelease } from "../releases/unfinished-release.ts";
import { possiblyLiveRecords, unreadableNotices } from "../releases/unreadable-records.ts";
import { withOtherStage } from "../releases/with-other-stage.ts";
import { checkCorrection } from "./checks/check-correction.ts";
import { checkDeletions } from "./checks/check-deletions.ts";
import { checkDeploymentChecks } from "./checks/check-deployment-checks.ts";
import { checkLockAndRecord, readReleaseLock } from "./checks/check-lock-and-record.ts";
import { checkPermissions } from "./checks/check-permissions.ts";
import { type CheckResult, joinSentences, withCompileFixes } from "./checks/check-result.ts";
import { checkRollback } from "./checks/check-rollback.ts";
import { type DesiredState, isFromCommit, rollbackTarget } from "./desired-state.ts";
import type { PermissionCommand } from "./permissions/permission.ts";
import { plannedCommand } from "./permissions/required-permissions.ts";
import type { PlanContext } from "./plan-context.ts";
import { blockedPlan, type PlannedDeployment } from "./planned-deployment.ts";
import { isReadByUser, type PlanningContext } from "./planning-context.ts";
import { dependencyNotices, dropKeptDeletions, droppedFields, predict } from "./predict.ts";
import type { PreparedPlan } from "./prepare-plan.ts";

/**
 * Collects the problems, notices and findings of a plan, and decides whether qvs can execute it.
 */
export async function decidePlan(
  context: PlanningContext,
  desired: DesiredState,
  basis: PlanContext,
  prepared: PreparedPlan,
): Promise<PlannedDeployment> {
  const { recorded, overrode } = basis;
  const { plan, problems, declared } = prepared;
  const [checked, predicted, lock] = await Promise.all([
    runPlanChecks(context, prepared, recorded, plannedCommand(context, desired)),
    predictFindings(context, desired, prepared, recorded),
    isReadByUser(context)
      ? readReleaseLock(recorded, context.cluster, context.deployment, new Date(context.now))
      : ("unknown" as const),
  ]);
  const allowed = context.request.allowIrreversible;
  const rollback = checkRollback(plan, { history: recorded, to: rollbackTarget(desired), allowed });
  const correction = checkCorrection(plan, {
    history: recorded,
    corrects: desired.corrects,
    allowed,
  });
  const expanded = expandManifests(context, declared, recorded);
  const blockers = [
    ...basis.blockers,
    ...problems,
    ...(basis.isFromRecord
      ? recordedPermissionProblems(plan.changes, { ...plan, deletes: desired.deletes })
      : []),
    ...checked.blockers,
    ...rollback.blockers,
    ...correction.blockers,
    ...expanded.problems,
  ];
  const { notices, findings } = permissionsAsFindings(context, plan, checked.notices, [
    ...rollback.findings,
    ...correction.findings,
    ...predicted.findings,
  ]);
  const fullPlan = withNotices(predicted.plan, [
    ...recordNotices(context, desired, basis, { plan: predicted.plan, lock }),
    ...basis.notices,
    // Readers of the plan already have the findings.
    ...(isReadByUser(context)
      ? []
      : [...rollback.notices, ...deletesDependents({ plan }).map(asNotice)]),
    ...correction.notices,
    ...notices,
  ]);
  if (blockers.length > 0) {
    const fixedBlockers = withCompileFixes(blockers, desired.warnings ?? []);
    return { ...blockedPlan(fullPlan, recorded, fixedBlockers), findings };
  }
  return {
    executable: true,
    plan: withForecasts(fullPlan, recorded),
    // A release that deletes declares nothing, so that no rollback returns to it.
    expandedConfig: desired.deletes === true ? [] : expanded.manifests,
    ...(desired.deletionHooks === undefined ? {} : { deletionHooks: desired.deletionHooks }),
    recorded,
    source: context.source,
    overrode,
    findings,
  };
}

function withForecasts(plan: Plan, recorded: RecordedReleases): Plan {
  const forecasts = forecastRollouts(plan, recorded);
  return forecasts.length === 0 ? plan : { ...plan, forecasts };
}

function recordNotices(
  context: PlanningContext,
  desired: DesiredState,
  { recorded, otherSource }: PlanContext,
  { plan, lock }: { readonly plan: Plan; readonly lock: LockStatus },
): readonly Problem[] {
  return [
    ...(isReadByUser(context) && otherSource === undefined
      ? unfinishedRelease(recorded, nextPlan(desired, plan), lock)
      : []),
    ...unreadableNotices(recorded.unreadable, recorded, context.deployment.name),
  ];
}

function asNotice({ what, why, fix }: Finding): Problem {
  return { code: "also-deleted", what, why: why || undefined, fix, where: [] };
}

/**
 * Predicts the findings of a plan.
 * For a correction it removes the deletions that the deployment won't make, because only real
 * deletions are drift.
 */
async function predictFindings(
  context: PlanningContext,
  desired: DesiredState,
  { plan, declared }: PreparedPlan,
  recorded: RecordedReleases,
): Promise<{ readonly plan: Plan; readonly findings: readonly Finding[] }> {
  if (context.omitsFindings === true) return { plan, findings: [] };
  if (isReadByUser(context)) return predict(context, plan, declared, recorded, desired);
  const { findings, notices } = droppedFields(plan, declared);
  if (desired.corrects !== undefined)
    return { plan: withNotices(await dropKeptDeletions(context, plan), notices), findings };
  const missing = await dependencyNotices(context, plan, declared);
  return { plan: withNotices(plan, [...missing, ...notices]), findings };
}

/** Reports missing permissions in one place: as findings if a user reads the plan. */
function permissionsAsFindings(
  context: PlanningContext,
  plan: Plan,
  notices: readonly Problem[],
  findings: readonly Finding[],
): { readonly notices: readonly Problem[]; readonly findings: readonly Finding[] } {
  if (!isReadByUser(context)) return { notices, findings };
  const isPermissionNotice = ({ code }: Problem) => code === "missing-permission";
  return {
    notices: notices.filter((notice) => !isPermissionNotice(notice)),
    findings: [...findings, ...notices.filter(isPermissionNotice).map(permissionFinding(plan))],
  };
}

/** Converts a notice about permissions; a finding has no facts and only one fix. */
function permissionFinding(plan: Plan): (notice: Problem) => Finding {
  return (notice) => {
    const { why, facts = [] } = notice;
    const answers = facts.map(({ label, value }) =>
      label === "answer" ? `The API server answered: ${value}` : `${label}: ${value}`,
    );
    const fix = listFixes(notice).join(", ");
    return { ...noticeToFinding(plan)(notice), why: joinSentences(why, ...answers) ?? "", fix };
  };
}

function nextPlan(desired: DesiredState, { changes, deletions }: Plan): NextPlan {
  if (!isFromCommit(desired)) return "goes back or deletes";
  const isChanging = deletions.length > 0 || changes.some(({ action }) => action !== "unchanged");
  return isChanging ? "deploys changes" : "deploys the same";
}

async function runPlanChecks(
  context: PlanningContext,
  { plan, declared, problems }: PreparedPlan,
  recorded: RecordedReleases,
  command: PermissionCommand,
): Promise<CheckResult> {
  const { deployment, request, checkPlan, purpose } = context;
  // A preview predicts the needs of a deployment.
  const lockCommand = purpose === "preview" ? "deploy" : command;
  const [lockAndRecord, deletions, ownChecks] = await Promise.all([
    checkLockAndRecord(context, plan, recorded.next, lockCommand),
    checkDeletions(context, plan, { deletes: command === "delete" }),
    checkDeploymentChecks(context, plan),
  ]);
  const rights = await checkPermissions(context, plan, command, [
    ...problems,
    ...deletions.blockers,
  ]);
  const inventory = liveInventory(recorded);
  const collisions = request.adopt ? [] : nameCollisions(plan.changes, inventory, deployment);
  const approved = checkPlan?.(
    plan,
    createRestoreCheck(plan.changes, toReleased(declared), recorded),
  );
  return {
    blockers: [
      ...lockAndRecord.blockers,
      ...collisions,
      ...deletions.blockers,
      ...ownChecks.blockers,
      ...rights.blockers,
      ...(approved?.blockers ?? []),
    ],
    notices: [
      ...(approved?.notices ?? []),
      ...lockAndRecord.notices,
      ...deletions.notices,
      ...ownChecks.notices,
    ],
  };
}

/**
 * Returns the manifests that the release records.
 * The manifests of a stage that this run leaves out come from earlier releases.
 */
function expandManifests(
  { request: { onlyStage } }: PlanningContext,
  declared: readonly DeclaredObject[],
  recorded: RecordedReleases,
): { readonly manifests: readonly ReleasedManifest[]; readonly problems: readonly Problem[] } {
  const manifests = toReleased(declared);
  if (onlyStage === undefined) return { manifests, problems: [] };
  const unreadableProblems = possiblyLiveRecords(recorded.unreadable, recorded).map(
    ({ problem }) => ({
      ...problem,
      fix: "Deploy both stages, without --only-stage",
      otherwise: undefined,
    }),
  );
  if (unreadableProblems.length > 0) return { manifests, problems: unreadableProblems };
  const full = withOtherStage(manifests, onlyStage, recorded);
  return full.ok ? { manifests: full.value, problems: [] } : { manifests, problems: full.problems };
}

function withNotices(plan: Plan, notices: readonly Problem[]): Plan {
  return notices.length === 0 ? plan : { ...plan, notices: [...notices, ...plan.notices] };
}
