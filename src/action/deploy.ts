import { deploy } from "../commands/deploy.ts";
import { changedByPush, deployInOrder } from "../commands/deploy-changed.ts";
import { listDeployments } from "../commands/list-deployments.ts";
import { UserError } from "../errors.ts";
import type { GitHubEvent } from "../io/github/event.ts";
import { logLines } from "../io/github/log.ts";
import type { ActionContext } from "./context.ts";
import type { Inputs } from "./inputs.ts";
import { reportOutcomes } from "./report-outcomes.ts";

/** push: what it changed, dependencies first. Any other event: every deployment that the inputs choose. */
export async function deployEvent(
  event: GitHubEvent,
  inputs: Inputs,
  context: ActionContext,
): Promise<void> {
  const { world } = context;
  const listed = await listDeployments(world.source.tree, world.repositoryName);
  if (!listed.ok) throw new UserError(listed.problems);
  const chosen = listed.value.filter(inputs.isChosen).map(inputs.adjusted);
  const changed = await changedByPush(world, chosen, baseOf(event), inputs.inline);
  if (changed.length === 0) logLines("No deployment has changed.");
  const outcomes = await deployInOrder(changed, (deployment) =>
    deploy(world, deployment, inputs.inline, inputs.options),
  );
  await reportOutcomes(outcomes, event, inputs, context);
}

/** A branch that is new has no commit before it: everything on it is new. */
function baseOf(event: GitHubEvent): string | undefined {
  return event.type === "push" && !/^0+$/.test(event.before) ? event.before : undefined;
}
