import pLimit from "p-limit";
import { chosenDependencies, deploymentLevels } from "../config/deployment-levels.ts";
import type { DeployOutcome } from "../deploying/deploy-outcome.ts";
import type { Deployment } from "../model/deployment.ts";
import { isCancellation, UserError } from "../model/problems/errors.ts";
import type { Problem } from "../model/problems/problem.ts";
import type { World } from "../ports/world.ts";

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
  | {
      readonly type: "refused";
      readonly deployment: Deployment;
      readonly problems: readonly Problem[];
      /** True if qvs wrote something before the error. */
      readonly hasChanged?: true;
    }
  /** A bug in qvs, which is thrown after the others are reported. */
  | { readonly type: "broken"; readonly deployment: Deployment; readonly error: unknown };

type RunState = Pick<World, "signal" | "hasChanged">;

/**
 * The number of simultaneous deployments. It is enough to wait for several rollouts; each has its
 * plan and the live objects in memory.
 */
const atOnce = 4;

/**
 * Deploys in parallel, each deployment after all its dependencies, including indirect ones through
 * deployments of `all` that aren't deployed now.
 * After a failure it skips the dependents and continues with the others. In the outcomes,
 * dependencies come first.
 */
export async function deployInOrder(
  deployments: readonly Deployment[],
  all: readonly Deployment[],
  deployOne: (deployment: Deployment) => Promise<DeployOutcome>,
  run: RunState,
): Promise<readonly DeploymentOutcome[]> {
  const dependencies = chosenDependencies(deployments, all);
  const slot = pLimit(atOnce);
  const begun = new Map<string, Promise<DeploymentOutcome>>();
  const deployWhenReady = async (deployment: Deployment): Promise<DeploymentOutcome> => {
    const names = dependencies.get(deployment.name) ?? [];
    // Waiting takes no slot. Otherwise waiting deployments could block their own dependencies.
    const before = await Promise.all(names.map((name) => begun.get(name)));
    const failed = before.find((outcome) => outcome !== undefined && !hasSucceeded(outcome));
    if (failed !== undefined) return notAttemptedOutcome(deployment, failed.deployment.name);
    const newer = before.find((outcome) => outcome !== undefined && wasSuperseded(outcome));
    if (newer !== undefined) return leaveToNewerRun(deployment, newer.deployment.name);
    return slot(() => attempt(deployment, deployOne, run));
  };
  for (const deployment of deploymentLevels(deployments, all).flat())
    begun.set(deployment.name, deployWhenReady(deployment));
  return Promise.all(begun.values());
}

export function hasSucceeded(outcome: DeploymentOutcome): boolean {
  if (outcome.type === "nothing left") return true;
  if (outcome.type !== "done") return false;
  const { outcome: done } = outcome;
  return done.type === "superseded" || done.result.succeeded || done.superseded !== undefined;
}

/** Reports whether a newer run works on the deployment. It isn't ready for dependents yet. */
export function wasSuperseded(outcome: DeploymentOutcome): boolean {
  if (outcome.type !== "done") return false;
  const { outcome: done } = outcome;
  return done.type === "superseded"
    ? done.why.code === "run-superseded"
    : done.superseded !== undefined;
}

function leaveToNewerRun(deployment: Deployment, newer: string): DeploymentOutcome {
  const why = {
    code: "run-superseded",
    where: [],
    what: `"${deployment.name}" was not attempted`,
    why: `It depends on "${newer}", which was superseded by a newer run`,
    fix: "Nothing to do: the newer run deploys the rest",
  } as const;
  return { type: "done", deployment, outcome: { type: "superseded", why } };
}

/** Runs the work for one deployment and converts every error into an outcome. */
export async function attempt<T>(
  deployment: Deployment,
  work: (deployment: Deployment) => Promise<T>,
  { signal, hasChanged }: RunState,
): Promise<
  { readonly type: "done"; readonly deployment: Deployment; readonly outcome: T } | FailedOutcome
> {
  const cancelledNow = () => withHasChanged(canceledOutcome(deployment), hasChanged);
  if (signal.aborted) return cancelledNow();
  try {
    return { type: "done", deployment, outcome: await work(deployment) };
  } catch (error) {
    if (error instanceof UserError) {
      const { problems } = error;
      return withHasChanged({ type: "refused", deployment, problems }, hasChanged);
    }
    // A cancellation after the first change is an outcome, not an error.
    return isCancellation(error, signal) ? cancelledNow() : { type: "broken", deployment, error };
  }
}

type FailedOutcome = Extract<DeploymentOutcome, { readonly type: "refused" | "broken" }>;

type BlockedOutcome = Extract<DeploymentOutcome, { readonly type: "refused" }>;

function withHasChanged(
  refused: BlockedOutcome,
  hasChanged: RunState["hasChanged"],
): BlockedOutcome {
  return hasChanged(refused.deployment.name) ? { ...refused, hasChanged: true } : refused;
}

function canceledOutcome(deployment: Deployment): BlockedOutcome {
  const what = `The run was canceled before "${deployment.name}" started`;
  return {
    type: "refused",
    deployment,
    problems: [{ code: "run-canceled", where: [], what, fix: "Run it again" }],
  };
}

function notAttemptedOutcome(deployment: Deployment, cause: string): DeploymentOutcome {
  const what = `"${deployment.name}" was not attempted`;
  const why = `It depends on "${cause}", which failed`;
  return {
    type: "refused",
    deployment,
    problems: [{ code: "dependency-failed", where: [], what, why, fix: `Fix "${cause}" first` }],
  };
}
