import { blocksLaterJobs, deleteRemoved, type Removals } from "../commands/delete-removed.ts";
import { type DeploymentOutcome, deployInOrder } from "../commands/several/deploy-changed.ts";
import type { DeployOutcome } from "../deploying/deploy-outcome.ts";
import type { GitHubEvent } from "../io/github/event.ts";
import type { LockRun } from "../model/cluster/deployment-lock.ts";
import type { Deployment } from "../model/deployments/deployment.ts";
import type { World } from "../ports/world.ts";
import type { ActionContext } from "./context.ts";
import type { Inputs } from "./inputs/inputs.ts";
import { reportOutcomes } from "./reports/report-outcomes.ts";

/**
 * The deployments of a run, and the function that deploys one. If there are several, the function
 * gets a world that labels the output of each.
 */
export interface DeploymentRun {
  readonly does: LockRun["does"];
  readonly deployments: readonly Deployment[];
  /** All deployments in the list. Those that aren't deployed now still affect the order. */
  readonly listed: readonly Deployment[];
  readonly deployOne: (world: World, deployment: Deployment) => Promise<DeployOutcome>;
  /**
   * The deployments that the push removed, which are deleted at the end; undefined if there are
   * none.
   */
  readonly removals?: Removals | undefined;
}

/**
 * Deploys, deletes and reports. Throws an internal error of one deployment at the end, after it has
 * reported the results of the others.
 */
export async function deployAndReport(
  { does, deployments, listed, deployOne, removals }: DeploymentRun,
  event: GitHubEvent | undefined,
  inputs: Inputs,
  context: ActionContext,
): Promise<void> {
  const number = deployments.length + (removals?.byPush.removed.length ?? 0);
  const world = number > 1 ? context.world.forParallelRuns() : context.world;
  const one = (deployment: Deployment) => deployOne(world, deployment);
  const deployed = await deployInOrder(deployments, listed, one, world);
  const deleted = removals === undefined ? [] : await deleteRemoved(world, removals, deployed);
  const outcomes = [...deployed, ...deleted];
  // Jobs of later levels delete dependencies of these deployments, so they must not start.
  if (removals !== undefined && deleted.some((each) => blocksLaterJobs(each, removals)))
    process.exitCode = 1;
  await reportOutcomes({ does, outcomes }, event, inputs, context);
  const broken = outcomes.find(isBroken);
  if (broken !== undefined) throw broken.error;
}

function isBroken(outcome: DeploymentOutcome): outcome is DeploymentOutcome & { type: "broken" } {
  return outcome.type === "broken";
}
