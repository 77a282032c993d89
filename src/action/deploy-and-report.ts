import { type DeploymentOutcome, deployInOrder } from "../commands/deploy-changed.ts";
import type { GitHubEvent } from "../io/github/event.ts";
import type { Deployment } from "../model/deployment.ts";
import type { DeployOutcome } from "../runs/execute-plan.ts";
import type { ActionContext } from "./context.ts";
import type { Inputs } from "./inputs.ts";
import { reportOutcomes } from "./report-outcomes.ts";

/** A bug that came up with one deployment is thrown at the end, after the results of the others were reported. */
export async function deployAndReport(
  deployments: readonly Deployment[],
  deployOne: (deployment: Deployment) => Promise<DeployOutcome>,
  event: GitHubEvent | undefined,
  inputs: Inputs,
  context: ActionContext,
): Promise<void> {
  const outcomes = await deployInOrder(deployments, deployOne, context.world.signal);
  await reportOutcomes(outcomes, event, inputs, context);
  const broken = outcomes.find(isBroken);
  if (broken !== undefined) throw broken.error;
}

function isBroken(outcome: DeploymentOutcome): outcome is DeploymentOutcome & { type: "broken" } {
  return outcome.type === "broken";
}
