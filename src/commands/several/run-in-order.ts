import pLimit from "p-limit";
import { chosenDependencies, deploymentLevels } from "../../config/deployment-levels.ts";
import type { Deployment } from "../../model/deployments/deployment.ts";
import { isCancellation, UserError } from "../../model/problems/errors.ts";
import type { Problem } from "../../model/problems/problem.ts";
import type { World } from "../../ports/world.ts";

/** The end of the work for one of several deployments. */
export type AttemptOutcome<T> =
  | { readonly type: "done"; readonly deployment: Deployment; readonly outcome: T }
  | FailedOutcome
  | LeftOutcome;

export type FailedOutcome = BlockedOutcome | BrokenOutcome;

/** The work ended with errors for the user, or it didn't start. */
interface BlockedOutcome {
  readonly type: "refused";
  readonly deployment: Deployment;
  readonly problems: readonly Problem[];
  /** True if qvs wrote something before the error. */
  readonly hasChanged?: true;
  /**
   * The failed deployment that kept this one from starting, directly or through others that were
   * skipped as well.
   */
  readonly skippedAfter?: string;
}

/** A bug in qvs, which is thrown after the others are reported. */
interface BrokenOutcome {
  readonly type: "broken";
  readonly deployment: Deployment;
  readonly error: unknown;
}

/** A newer run works on a dependency, and also deploys this deployment. */
export interface LeftOutcome {
  readonly type: "left";
  readonly deployment: Deployment;
  readonly why: Problem;
}

export type RunState = Pick<World, "signal" | "hasChanged">;

/**
 * The effect of an outcome on dependents: they run, they are skipped, or a newer run deploys them.
 */
export type Standing = "ready" | "failed" | "superseded";

export interface OrderedRun<T> {
  /** All deployments in the list. Those that aren't chosen still affect the order. */
  readonly all: readonly Deployment[];
  /**
   * The effect of the dependencies: they must end with success, they only come first, or they have
   * none.
   */
  readonly dependencies: "required" | "first" | "ignored";
  readonly runOne: (deployment: Deployment) => Promise<T>;
  readonly standing: (outcome: T) => Standing;
  readonly state: RunState;
  /** The maximum number of deployments at the same time. */
  readonly parallel?: number | undefined;
  /** Called when the work for one deployment has ended. It must not throw. */
  readonly onEnd?: ((outcome: AttemptOutcome<T>) => void) | undefined;
}

/**
 * The number of simultaneous deployments. It is enough to wait for several rollouts; each has its
 * plan and the live objects in memory.
 */
const defaultParallel = 4;

/**
 * Runs the work for each chosen deployment in parallel, after the work for all its dependencies,
 * including indirect ones through deployments of `all` that aren't chosen.
 * After a failure it skips the dependents and continues with the others. In the outcomes,
 * dependencies come first.
 */
export async function runInOrder<T>(
  chosen: readonly Deployment[],
  run: OrderedRun<T>,
): Promise<readonly AttemptOutcome<T>[]> {
  const { all, dependencies: role, runOne, state, parallel = defaultParallel } = run;
  const dependencies = chosenDependencies(chosen, all);
  const slot = pLimit(parallel);
  const begun = new Map<string, Promise<AttemptOutcome<T>>>();
  const runWhenReady = async (deployment: Deployment): Promise<AttemptOutcome<T>> => {
    const names = role === "ignored" ? [] : (dependencies.get(deployment.name) ?? []);
    // Waiting takes no slot. Otherwise waiting deployments could block their own dependencies.
    const before = await Promise.all(names.map((name) => begun.get(name)));
    const ended = before.filter((outcome) => outcome !== undefined);
    const skipped = role === "required" ? skippedOutcome(deployment, ended, run) : undefined;
    return skipped ?? slot(() => attempt(deployment, runOne, state));
  };
  for (const deployment of deploymentLevels(chosen, all).flat())
    begun.set(deployment.name, endOf(runWhenReady(deployment), run));
  return Promise.all(begun.values());
}

async function endOf<T>(
  work: Promise<AttemptOutcome<T>>,
  { onEnd }: OrderedRun<T>,
): Promise<AttemptOutcome<T>> {
  const outcome = await work;
  onEnd?.(outcome);
  return outcome;
}

/** Returns the outcome of a deployment that a dependency keeps from running. */
function skippedOutcome<T>(
  deployment: Deployment,
  before: readonly AttemptOutcome<T>[],
  run: OrderedRun<T>,
): AttemptOutcome<T> | undefined {
  const { signal } = run.state;
  const allFailed = before.filter((outcome) => standingOf(outcome, run) === "failed");
  const failed = allFailed.find((outcome) => skippedAfter(outcome) === undefined) ?? allFailed[0];
  if (failed !== undefined && signal.aborted) return canceledOutcome(deployment);
  if (failed !== undefined) return notAttemptedOutcome(deployment, failed);
  const newer = before.find((outcome) => standingOf(outcome, run) === "superseded");
  return newer === undefined ? undefined : leaveToNewerRun(deployment, newer.deployment.name);
}

function skippedAfter(outcome: AttemptOutcome<unknown>): string | undefined {
  return outcome.type === "refused" ? outcome.skippedAfter : undefined;
}

function standingOf<T>(outcome: AttemptOutcome<T>, { standing }: OrderedRun<T>): Standing {
  switch (outcome.type) {
    case "done":
      return standing(outcome.outcome);
    case "left":
      return "superseded";
    case "refused":
    case "broken":
      return "failed";
  }
}

function leaveToNewerRun(deployment: Deployment, newer: string): LeftOutcome {
  const why = {
    code: "run-superseded",
    where: [],
    what: `"${deployment.name}" was not attempted`,
    why: `It depends on "${newer}", which was superseded by a newer run`,
    fix: "Nothing to do: the newer run deploys the rest",
  } as const;
  return { type: "left", deployment, why };
}

/** Runs the work for one deployment and converts every error into an outcome. */
export async function attempt<T>(
  deployment: Deployment,
  work: (deployment: Deployment) => Promise<T>,
  { signal, hasChanged }: RunState,
): Promise<Exclude<AttemptOutcome<T>, LeftOutcome>> {
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

/** Returns the result of the work. Throws the error of any other outcome. */
export function requireDone<T>(outcome: AttemptOutcome<T>): T {
  switch (outcome.type) {
    case "done":
      return outcome.outcome;
    case "broken":
      throw outcome.error;
    case "left":
      throw new UserError([outcome.why]);
    case "refused":
      throw new UserError(outcome.problems);
  }
}

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

function notAttemptedOutcome(
  deployment: Deployment,
  dependency: AttemptOutcome<unknown>,
): BlockedOutcome {
  const { name } = dependency.deployment;
  const cause = skippedAfter(dependency) ?? name;
  const end = cause === name ? "failed" : `was skipped because "${cause}" failed`;
  const problem: Problem = {
    code: "dependency-failed",
    where: [],
    what: `"${deployment.name}" was not attempted`,
    why: `It depends on "${name}", which ${end}`,
    fix: `Fix "${cause}" first`,
  };
  return { type: "refused", deployment, problems: [problem], skippedAfter: cause };
}
