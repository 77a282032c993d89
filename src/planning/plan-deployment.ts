import type { Problem } from "../model/problems/problem.ts";
import { historyOf } from "../releases/history.ts";
import { inventoryOf } from "../releases/inventory.ts";
import { whyNothingIsDeleted } from "../releases/unreadable.ts";
import { type Basis, readBasis } from "./basis.ts";
import { blockersOfVersions, versionsNotServed } from "./checks/check-going-back.ts";
import { clusterAfter } from "./cluster-after.ts";
import { type DesiredState, goesBackTo, isOfCommit } from "./desired-state.ts";
import { judgePlan } from "./judge-plan.ts";
import { blocked, type PlannedDeployment, withoutTexts } from "./planned-deployment.ts";
import type { PlanningContext } from "./planning-context.ts";
import { type PlanRequest, preparePlan } from "./prepare-plan.ts";
import { commandOf } from "./rights/command-of.ts";
import { rbacCommand } from "./rights/rights-problem.ts";
import { withholdFormerParams } from "./withhold-former-params.ts";

/**
 * Makes the plan for every preview, deployment, dry run and rollback; no other function does.
 * It reads the cluster, sends dry runs, decides, and reports everything that blocks the deployment.
 * It writes nothing.
 */
export async function planDeployment(
  now: PlanningContext,
  desired: DesiredState,
): Promise<PlannedDeployment> {
  const context = { ...now, cluster: clusterAfter(now.cluster, now.earlier) };
  const made = withoutTexts(await plan(context, desired), desired.hides ?? []);
  const planned = isOfCommit(desired) ? withholdFormerParams(made, desired.manifests) : made;
  if (planned.executable) return planned;
  return { ...planned, blockers: planned.blockers.map(withRoles(context, desired)) };
}

async function plan(context: PlanningContext, desired: DesiredState): Promise<PlannedDeployment> {
  const read = await readBasis(context, desired);
  if (!read.ok) return read.ends;
  const basis = read.value;
  const prepared = await preparePlan(context.cluster, planInput(context, desired, basis));
  if (!prepared.ok) {
    const lost = await versionsNotServed(context.cluster, desired.manifests, goesBackTo(desired));
    const problems = blockersOfVersions(prepared.problems, lost);
    return { ...blocked(undefined, basis.recorded, basis.blockers, problems), findings: lost };
  }
  return judgePlan(context, desired, basis, prepared.value);
}

function planInput(context: PlanningContext, desired: DesiredState, basis: Basis): PlanRequest {
  const { recorded, elsewhere } = basis;
  const { releases, unreadable } = recorded;
  return {
    rules: {
      ...context,
      deployment: context.deployment.name,
      namespace: context.deployment.namespace,
      recorded: basis.byRecord,
      release: desired.rollbackOf,
      isOtherSource: elsewhere !== undefined,
      hides: desired.hides,
      deletes: desired.deletes,
      goesBack: desired.rollbackOf !== undefined,
      corrects: desired.corrects !== undefined,
      onlyKeys: desired.onlyKeys,
      nothingGoes: whyNothingIsDeleted(unreadable, releases),
    },
    manifests: desired.manifests,
    concurrency: context.concurrency,
    // qvs neither shows nor deletes the objects of another source.
    inventory: elsewhere === undefined ? inventoryOf(releases) : [],
    history: historyOf(releases),
  };
}

/** Adds the command that prints the roles to each missing permission. */
function withRoles(context: PlanningContext, desired: DesiredState): (told: Problem) => Problem {
  const command = rbacCommand(commandOf(context, desired), context.deployment.name);
  return (told) =>
    told.code !== "missing-permission" || told.fix.includes(command)
      ? told
      : { ...told, fix: `${told.fix}; \`${command}\` prints the roles` };
}
