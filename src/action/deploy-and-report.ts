import { deleteRemoved, holdsUp, type Removals } from "../commands/delete-removed.ts";
import { type DeploymentOutcome, deployInOrder } from "../commands/deploy-changed.ts";
import type { GitHubEvent } from "../io/github/event.ts";
import type { LockRun } from "../model/cluster/lock-run.ts";
import type { Deployment } from "../model/deployment.ts";
import type { World } from "../ports/world.ts";
import type { DeployOutcome } from "../runs/deploy-outcome.ts";
import type { ActionContext } from "./context.ts";
import type { Inputs } from "./inputs/inputs.ts";
import { reportOutcomes } from "./reports/report-outcomes.ts";

/** Some of the listed deployments, and how to deploy one. The world given tells of it in a way that is clear beside others. */
export interface ToDeploy {
  readonly does: LockRun["does"];
  readonly deployments: readonly Deployment[];
  /** All there are: what is not deployed now still orders what is. */
  readonly listed: readonly Deployment[];
  readonly deployOne: (world: World, deployment: Deployment) => Promise<DeployOutcome>;
  /** What was removed and is to be deleted after that; undefined where nothing was. */
  readonly removals?: Removals | undefined;
}

/** A bug that came up with one deployment is thrown at the end, after the results of the others were reported. */
export async function deployAndReport(
  { does, deployments, listed, deployOne, removals }: ToDeploy,
  event: GitHubEvent | undefined,
  inputs: Inputs,
  context: ActionContext,
): Promise<void> {
  const number = deployments.length + (removals?.byPush.removed.length ?? 0);
  const world = number > 1 ? context.world.sideBySide() : context.world;
  const one = (deployment: Deployment) => deployOne(world, deployment);
  const deployed = await deployInOrder(deployments, listed, one, world);
  const deleted = removals === undefined ? [] : await deleteRemoved(world, removals, deployed);
  const outcomes = [...deployed, ...deleted];
  // The jobs of later levels delete what this depends on, and must not begin.
  if (removals !== undefined && deleted.some((each) => holdsUp(each, removals)))
    process.exitCode = 1;
  await reportOutcomes({ does, outcomes }, event, inputs, context);
  const broken = outcomes.find(isBroken);
  if (broken !== undefined) throw broken.error;
}

function isBroken(outcome: DeploymentOutcome): outcome is DeploymentOutcome & { type: "broken" } {
  return outcome.type === "broken";
}
