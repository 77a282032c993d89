import { defaultLimits } from "../apply/run.ts";
import type { Deployment } from "../model/deployment.ts";
import { nameOf } from "../model/object.ts";
import type { Plan, PlanPolicy } from "../model/plan.ts";
import { catchProblems } from "../model/problems/errors.ts";
import type { Problem } from "../model/problems/problem.ts";
import { listed } from "../model/text/closest.ts";
import { planDeployment } from "../planning/plan-deployment.ts";
import type { World } from "../ports/world.ts";
import { nothingDesired } from "./nothing-desired.ts";
import { contextBeforeLock } from "./planning-context.ts";

interface Rules {
  readonly policy: PlanPolicy;
  readonly adopt: boolean;
}

/**
 * What a deployment leaves behind that a pull request removes from the list, by its inventory, and the command that deletes exactly
 * that after the merge. undefined where the cluster can't tell, or holds nothing of it.
 */
export async function leftByRemoval(
  world: World,
  deployment: Deployment,
  { policy, adopt }: Rules,
): Promise<Problem | undefined> {
  const opened = await catchProblems(() => world.target(deployment));
  if (!opened.ok) return undefined;
  const rules = {
    policy: { ...policy, keepRevisions: undefined },
    adopt,
    allowOutsideNamespace: false,
    onlyStage: undefined,
    purpose: "preview",
    dryRuns: "all",
    concurrency: defaultLimits.concurrency,
  } as const;
  const context = await contextBeforeLock(world, opened.value, deployment, rules);
  const planned = await planDeployment(context, nothingDesired);
  const { plan } = planned;
  if (plan === undefined || plan.deletions.length + plan.kept.length === 0) return undefined;
  return warningOf(deployment, plan, planned.executable ? [] : planned.blockers);
}

function warningOf(deployment: Deployment, plan: Plan, blockers: readonly Problem[]): Problem {
  const { name, namespace, context } = deployment;
  const place = `namespace ${namespace}${context === undefined ? "" : ` of context ${context}`}`;
  const { deletions, kept } = plan;
  const all = [...deletions, ...kept].map(({ id }) => nameOf(id)).toSorted();
  const keeps =
    kept.length === 0
      ? ""
      : `. What stays even then: ${listed(kept.map(({ id }) => nameOf(id)).toSorted(), mostNames)}`;
  const refusals = blockers.map(({ what }) => what);
  const refused =
    refusals.length === 0 ? "" : `. As it is, that is refused: ${refusals.join("; ")}`;
  const counted = deletions.length === 1 ? "1 object" : `${deletions.length} objects`;
  const where = context === undefined ? "" : ` --context ${context}`;
  const digest = `--expect-digest ${plan.digest.slice(0, 12)}`;
  return {
    code: "orphaned-deployment",
    where: [],
    what: `"${name}" is removed, but what it deployed stays in ${place}, and nothing deletes it: ${listed(all, mostNames)}`,
    fix: `To delete ${counted} after the merge, run: qvs delete -d ${name} -n ${namespace}${where} ${digest}${keeps}${refused}`,
  };
}

/** More names do not help a reader. */
const mostNames = 10;
