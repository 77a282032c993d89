import type { DeploymentOutcome } from "../../commands/deploy-changed.ts";
import { type PullRequestState, sweepEnvironments } from "../../commands/sweep-environments.ts";
import { annotate } from "../../io/github/annotations.ts";
import { logLines } from "../../io/github/log.ts";
import { currentPull } from "../../io/github/workflow-run.ts";
import { UserError } from "../../model/problems/errors.ts";
import { describeAllForGitHub } from "../../model/problems/problem-text.ts";
import { listDeployments } from "../../sources/list-deployments.ts";
import { type ActionContext, openGitHubClient } from "../context.ts";
import type { Inputs } from "../inputs/inputs.ts";
import { recordOnGitHub } from "../reports/record-on-github.ts";
import { environmentOwner } from "./environment-owner.ts";
import { reportEnvironments } from "./report-environments.ts";

/**
 * Deletes the environments that have expired, and those of closed pull requests. It asks GitHub for
 * each pull request, and again under the lock of its environment.
 */
export async function sweepPullRequests(inputs: Inputs, context: ActionContext): Promise<void> {
  const { world } = context;
  const listed = await listDeployments(world.source.tree, world.repositoryName, world.folder);
  if (!listed.ok) throw new UserError(listed.problems);
  const owner = environmentOwner(context, inputs, undefined);
  const { outcomes, notices } = await sweepEnvironments(world, {
    ...{ owner, entries: listed.value.map(inputs.adjusted), request: inputs.request },
    stateOf: (number) => askState(number, inputs, context),
  });
  annotate(notices, "warning", "QVS");
  if (notices.length > 0) logLines(describeAllForGitHub(notices));
  if (outcomes.length === 0) logLines("No environment has to be deleted.");
  const recorder = recordOnGitHub(inputs, context);
  for (const outcome of outcomes) {
    if (isDeleted(outcome)) recorder.deleted(outcome.deployment);
    const number = Number(/-pr-(\d+)$/.exec(outcome.deployment.name)?.[1]);
    await reportEnvironments({ number }, [outcome], owner, inputs, context);
  }
  await recorder.flush();
}

function isDeleted(outcome: DeploymentOutcome): boolean {
  return (
    outcome.type === "done" &&
    outcome.outcome.type === "deployed" &&
    outcome.outcome.result.succeeded
  );
}

async function askState(
  number: number,
  inputs: Inputs,
  context: ActionContext,
): Promise<PullRequestState> {
  const client = openGitHubClient(context, inputs);
  if (client === undefined) return { unknown: "the input token is empty" };
  try {
    const { isOpen } = await currentPull(client, context.repository, number);
    return isOpen ? "open" : "closed";
  } catch {
    return { unknown: `GitHub didn't answer whether pull request #${number} is open` };
  }
}
