import type { DeployRequest } from "../model/deployments/deploy-request.ts";
import type { Deployment } from "../model/deployments/deployment.ts";
import { emptyHistory, type ReleaseHistory } from "../model/deployments/release-history.ts";
import type { Attributions } from "../model/plan/attribution.ts";
import type { Problem } from "../model/problems/problem.ts";
import { type AttributionFacts, attribute } from "../plan/attribution/attribute.ts";
import { unreportedWarnings } from "../planning/checks/check-result.ts";
import type { DesiredState } from "../planning/desired-state.ts";
import { plannedCommand } from "../planning/permissions/required-permissions.ts";
import { planDeployment } from "../planning/plan-deployment.ts";
import type { PlannedDeployment } from "../planning/planned-deployment.ts";
import type { PlanningContext } from "../planning/planning-context.ts";
import type { TargetCluster, World } from "../ports/world.ts";
import { sourceMismatch } from "../releases/mismatches.ts";
import { rollbackTargetText } from "../releases/select.ts";
import { contextBeforeLock } from "./create-planning-context.ts";
import {
  findPermissionGaps,
  hasPermissionGaps,
  permissionBlockers,
} from "./permissions-before-lock.ts";

/**
 * Returns the plan that a deployment or a rollback would execute now, with all dry runs of a
 * preview but without its findings. Writes nothing.
 */
export async function planWithoutLock(
  world: World,
  { target, deployment, request }: PlanSubject,
  desired: DesiredState,
): Promise<PlannedDeployment> {
  const context = await contextBeforeLock(world, target, deployment, request);
  return planDeployment({ ...context, omitsFindings: true }, desired);
}

/** Returns the same plan with its findings, but without the plan of its rollback. */
export async function predictWithoutLock(
  world: World,
  { target, deployment, request }: PlanSubject,
  desired: DesiredState,
): Promise<PlannedDeployment> {
  const context = await contextBeforeLock(world, target, deployment, request);
  return withMissingPermissions(await planDeployment(context, desired), context, desired);
}

/** Returns the same plan for a reader, with the attribution of each change. */
export async function dryRunWithoutLock(
  world: World,
  { target, deployment, request }: PlanSubject,
  desired: DesiredState,
): Promise<DryRunPlan> {
  const context = await contextBeforeLock(world, target, deployment, request);
  const planned = await withMissingPermissions(
    await planDeployment({ ...context, predictsRollback: true }, desired),
    context,
    desired,
  );
  const attributions = attributeChanges(planned, context);
  const { warnings = [], rollbackOf } = desired;
  return { planned: withWarnings(planned, warnings), attributions, rollbackOf };
}

/** Adds all missing permissions if the plan can't be made, like the deployment itself. */
async function withMissingPermissions(
  planned: PlannedDeployment,
  context: PlanningContext,
  desired: DesiredState,
): Promise<PlannedDeployment> {
  if (planned.executable || planned.plan !== undefined || planned.superseded !== undefined)
    return planned;
  const { health } = desired.input;
  const check = { ...context, command: plannedCommand(context, desired), health };
  const gaps = await findPermissionGaps(check, desired.manifests);
  if (!hasPermissionGaps(gaps)) return planned;
  return { ...planned, blockers: permissionBlockers(gaps, check, planned) };
}

function withWarnings<T extends PlannedDeployment>(planned: T, warnings: readonly Problem[]): T {
  const { plan } = planned;
  if (plan === undefined) return planned;
  const more = unreportedWarnings(planned.executable ? [] : planned.blockers, warnings);
  return { ...planned, plan: { ...plan, notices: [...more, ...plan.notices] } };
}

export interface DryRunPlan {
  readonly planned: PlannedDeployment;
  readonly attributions: Attributions | undefined;
  /** The release that a rollback restores; undefined for other operations. */
  readonly rollbackOf: number | undefined;
}

/** Describes the target release of a rollback. Undefined for other plans. */
export function describeRollbackTarget(
  { planned, rollbackOf }: Pick<DryRunPlan, "planned" | "rollbackOf">,
  now: string,
): string | undefined {
  const release = planned.recorded?.releases.find(({ revision }) => revision === rollbackOf);
  return release === undefined ? undefined : rollbackTargetText(release, now);
}

interface PlanSubject {
  readonly target: TargetCluster;
  readonly deployment: Deployment;
  readonly request: DeployRequest;
}

/** Returns the attribution of each change of a plan; undefined without a plan. */
export function attributeChanges(
  planned: PlannedDeployment,
  context: PlanningContext,
  commits: Omit<AttributionFacts, "history"> = {},
): Attributions | undefined {
  const history = ownHistory(planned, context);
  return planned.plan && attribute(planned.plan, { ...commits, history });
}

/**
 * Returns the releases of this source only. Releases of another repository or config under the same
 * name explain no change and must not be shown.
 */
function ownHistory(
  { recorded }: PlannedDeployment,
  { source, deployment, request }: PlanningContext,
): ReleaseHistory {
  const history = recorded ?? emptyHistory;
  const isOtherSource = !request.adopt && sourceMismatch(history, source, deployment) !== undefined;
  return isOtherSource ? emptyHistory : history;
}
