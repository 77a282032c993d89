import type { DeployOutcome } from "../../deploying/deploy-outcome.ts";
import type { Deployment } from "../../model/deployments/deployment.ts";
import type { Problem } from "../../model/problems/problem.ts";
import { type FailedOutcome, type RunState, runInOrder, type Standing } from "./run-in-order.ts";

/** The outcome of one of several deployments. */
export type DeploymentOutcome =
  | {
      readonly type: "done";
      readonly deployment: Deployment;
      readonly outcome: DeployOutcome;
      /** True if the deployment was removed from the list and deleted. */
      readonly deletes?: true;
    }
  /** The deployment was removed from the list, and the cluster contains nothing of it. */
  | { readonly type: "nothing left"; readonly deployment: Deployment }
  /**
   * The deployment was removed from the list but stays in the cluster. It isn't a failure, but a
   * user must know.
   */
  | { readonly type: "not deleted"; readonly deployment: Deployment; readonly why: Problem }
  | FailedOutcome;

/**
 * Deploys in parallel, each deployment after all its dependencies. After a failure it skips the
 * dependents and continues with the others. In the outcomes, dependencies come first.
 */
export async function deployInOrder(
  deployments: readonly Deployment[],
  all: readonly Deployment[],
  deployOne: (deployment: Deployment) => Promise<DeployOutcome>,
  state: RunState,
): Promise<readonly DeploymentOutcome[]> {
  const run = { all, dependencies: "required", runOne: deployOne, state } as const;
  const outcomes = await runInOrder(deployments, { ...run, standing: deployStanding });
  return outcomes.map((each) => {
    if (each.type !== "left") return each;
    const { deployment, why } = each;
    return { type: "done", deployment, outcome: { type: "superseded", why } };
  });
}

/** Returns the effect of a deployment's outcome on its dependents. */
export function deployStanding(outcome: DeployOutcome): Standing {
  if (outcome.type === "superseded")
    return outcome.why.code === "run-superseded" ? "superseded" : "ready";
  if (outcome.superseded !== undefined) return "superseded";
  return outcome.result.succeeded ? "ready" : "failed";
}

export function hasSucceeded(outcome: DeploymentOutcome): boolean {
  if (outcome.type === "nothing left") return true;
  return outcome.type === "done" && deployStanding(outcome.outcome) !== "failed";
}

/** Reports whether a newer run works on the deployment. It isn't ready for dependents yet. */
export function wasSuperseded(outcome: DeploymentOutcome): boolean {
  return outcome.type === "done" && deployStanding(outcome.outcome) === "superseded";
}
