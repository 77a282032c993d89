import { InvalidArgumentError } from "commander";
import { rollback } from "../commands/rollback.ts";
import { parseRevision } from "../inputs/parse.ts";
import { UserError } from "../model/problems/errors.ts";
import { listDeployments } from "../sources/list-deployments.ts";
import type { ActionContext } from "./context.ts";
import { type DeploymentRun, deployAndReport } from "./deploy-and-report.ts";
import { invalidValue } from "./inputs/input-checks.ts";
import type { Inputs } from "./inputs/inputs.ts";
import { recordOnGitHub } from "./reports/record-on-github.ts";
import { listReleasesToRestore, previewRollbackRun } from "./show-rollback.ts";

/**
 * Deploys a recorded release of one deployment, on workflow_dispatch with a revision. Without a
 * revision, it lists the releases. With `dry-run`, it shows the plan.
 */
export async function rollBack(inputs: Inputs, context: ActionContext): Promise<void> {
  const { world } = context;
  const to = inputs.revision === "" ? undefined : parseTarget(inputs.revision);
  const listed = await listDeployments(world.source.tree, world.repositoryName, world.folder);
  if (!listed.ok) throw new UserError(listed.problems);
  const chosen = inputs.choose(listed.value).map(inputs.adjusted);
  const [only] = chosen;
  if (only === undefined || chosen.length !== 1) {
    throw new UserError([
      {
        code: "ambiguous-selection",
        where: [],
        what: "A rollback needs exactly one deployment",
        facts: [{ label: "selected", value: `${chosen.length}` }],
        fix: `Set the input deployment to one of ${listed.value.map(({ name }) => name).join(", ")}`,
      },
    ]);
  }
  if (to === undefined) return listReleasesToRestore(only, inputs, context);
  if (inputs.dryRun) return previewRollbackRun(only, to, inputs, context);
  const onGitHub = recordOnGitHub(inputs, context);
  const deployOne: DeploymentRun["deployOne"] = (one, deployment) =>
    onGitHub.recordRun(deployment, (announce) =>
      rollback(one, deployment, to, inputs.request, announce),
    );
  const does = "rollback" as const;
  const toDeploy = { does, deployments: chosen, listed: listed.value, deployOne };
  await deployAndReport(toDeploy, undefined, inputs, context).finally(onGitHub.flush);
}

function parseTarget(text: string): number | "previous" {
  try {
    return parseRevision(text);
  } catch (error) {
    if (!(error instanceof InvalidArgumentError)) throw error;
    throw new UserError([invalidValue("revision", text, error)]);
  }
}
