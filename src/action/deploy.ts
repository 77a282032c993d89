import { changedByPush } from "../commands/changed-by-push.ts";
import { deploy } from "../commands/deploy.ts";
import { listDeployments } from "../commands/list-deployments.ts";
import { UserError } from "../errors.ts";
import { annotate } from "../io/github/annotations.ts";
import type { GitHubEvent } from "../io/github/event.ts";
import { logLines } from "../io/github/log.ts";
import { type ActionContext, hasCluster } from "./context.ts";
import { deployAndReport } from "./deploy-and-report.ts";
import type { Inputs } from "./inputs.ts";

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
  const { deployments, notices } = await changedByPush(world, chosen, {
    before: baseOf(event),
    inline: inputs.inline,
    adjusted: inputs.adjusted,
    asksCluster: hasCluster(context, inputs),
  });
  annotate(notices, "warning", "QVS");
  if (deployments.length === 0) logLines("No deployment has changed.");
  const deployOne = (deployment: (typeof deployments)[number]) =>
    deploy(world, deployment, inputs.inline, inputs.options);
  await deployAndReport(deployments, deployOne, event, inputs, context);
}

/** A branch that is new has no commit before it: everything on it is new. */
function baseOf(event: GitHubEvent): string | undefined {
  return event.type === "push" && !/^0+$/.test(event.before) ? event.before : undefined;
}
