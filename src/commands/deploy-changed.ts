import pLimit from "p-limit";
import { dependenciesAmong, levelsOf } from "../config/deployment-levels.ts";
import type { Deployment } from "../model/deployment.ts";
import { isCancellation, UserError } from "../model/problems/errors.ts";
import type { Problem } from "../model/problems/problem.ts";
import type { World } from "../ports/world.ts";
import type { DeployOutcome } from "../runs/deploy-outcome.ts";

/** The outcome of one of several deployments. */
export type DeploymentOutcome =
  | {
      readonly type: "done";
      readonly deployment: Deployment;
      readonly outcome: DeployOutcome;
      /** Set where it was removed, and deleted for that. */
      readonly deletes?: true;
    }
  /** It was removed, and there was nothing of it to delete. */
  | { readonly type: "nothing left"; readonly deployment: Deployment }
  /** It was removed and should have been deleted, and stays: no failure, but somebody has to know. */
  | { readonly type: "not deleted"; readonly deployment: Deployment; readonly why: Problem }
  | {
      readonly type: "refused";
      readonly deployment: Deployment;
      readonly problems: readonly Problem[];
      /** Set where something was written before it was refused. */
      readonly hasChanged?: true;
    }
  /** A bug in qvs, to be thrown after the others were reported. */
  | { readonly type: "broken"; readonly deployment: Deployment; readonly error: unknown };

type RunState = Pick<World, "signal" | "hasChanged">;

/** Enough to wait for several rollouts at the same time; each also holds its plan and the live objects in memory. */
const atOnce = 4;

/**
 * Side by side, each after all that it depends on, also through those of `all` that are not deployed now. After a failure, what depends
 * on it is not attempted; the others continue. The outcomes are in an order in which dependencies come first.
 */
export async function deployInOrder(
  deployments: readonly Deployment[],
  all: readonly Deployment[],
  deployOne: (deployment: Deployment) => Promise<DeployOutcome>,
  run: RunState,
): Promise<readonly DeploymentOutcome[]> {
  const dependencies = dependenciesAmong(deployments, all);
  const slot = pLimit(atOnce);
  const begun = new Map<string, Promise<DeploymentOutcome>>();
  const deployAfter = async (deployment: Deployment): Promise<DeploymentOutcome> => {
    const names = dependencies.get(deployment.name) ?? [];
    // Waiting takes no slot, or those that wait could keep out what they wait for.
    const before = await Promise.all(names.map((name) => begun.get(name)));
    const failed = before.find((outcome) => outcome !== undefined && !hasSucceeded(outcome));
    if (failed !== undefined) return notAttempted(deployment, failed.deployment.name);
    const newer = before.find((outcome) => outcome !== undefined && gaveWay(outcome));
    if (newer !== undefined) return leftToNewer(deployment, newer.deployment.name);
    return slot(() => attempt(deployment, deployOne, run));
  };
  for (const deployment of levelsOf(deployments, all).flat())
    begun.set(deployment.name, deployAfter(deployment));
  return Promise.all(begun.values());
}

export function hasSucceeded(outcome: DeploymentOutcome): boolean {
  if (outcome.type === "nothing left") return true;
  if (outcome.type !== "done") return false;
  const { outcome: done } = outcome;
  return done.type === "superseded" || done.result.succeeded || done.superseded !== undefined;
}

/** A newer run is at work on it: what depends on it would come before it is ready. */
export function gaveWay(outcome: DeploymentOutcome): boolean {
  if (outcome.type !== "done") return false;
  const { outcome: done } = outcome;
  return done.type === "superseded" ? done.why.code === "gave-way" : done.superseded !== undefined;
}

function leftToNewer(deployment: Deployment, newer: string): DeploymentOutcome {
  const what = `${deployment.name} was not attempted, because ${newer}, which it depends on, gave way to a newer run`;
  const fix = "Nothing is to be done: the newer run deploys what is left undone";
  const why = { code: "gave-way", where: [], what, fix } as const;
  return { type: "done", deployment, outcome: { type: "superseded", why } };
}

/** What came of one deployment, whatever is thrown. */
export async function attempt<T>(
  deployment: Deployment,
  work: (deployment: Deployment) => Promise<T>,
  { signal, hasChanged }: RunState,
): Promise<
  { readonly type: "done"; readonly deployment: Deployment; readonly outcome: T } | NotDone
> {
  const cancelledNow = () => withChanges(cancelled(deployment), hasChanged);
  if (signal.aborted) return cancelledNow();
  try {
    return { type: "done", deployment, outcome: await work(deployment) };
  } catch (error) {
    if (error instanceof UserError) {
      const { problems } = error;
      return withChanges({ type: "refused", deployment, problems }, hasChanged);
    }
    // Once something has been changed, a cancellation is an outcome and not an error.
    return isCancellation(error, signal) ? cancelledNow() : { type: "broken", deployment, error };
  }
}

type NotDone = Extract<DeploymentOutcome, { readonly type: "refused" | "broken" }>;

type Refused = Extract<DeploymentOutcome, { readonly type: "refused" }>;

function withChanges(refused: Refused, hasChanged: RunState["hasChanged"]): Refused {
  return hasChanged(refused.deployment.name) ? { ...refused, hasChanged: true } : refused;
}

function cancelled(deployment: Deployment): Refused {
  const what = `The run was cancelled before ${deployment.name} started`;
  return {
    type: "refused",
    deployment,
    problems: [{ code: "run-cancelled", where: [], what, fix: "Run it again" }],
  };
}

function notAttempted(deployment: Deployment, cause: string): DeploymentOutcome {
  const what = `${deployment.name} was not attempted, because ${cause}, which it depends on, failed`;
  return {
    type: "refused",
    deployment,
    problems: [{ code: "dependency-failed", where: [], what, fix: `Correct ${cause} first` }],
  };
}
