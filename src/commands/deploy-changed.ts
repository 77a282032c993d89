import type { Deployment } from "../model/deployment.ts";
import { isCancellation, UserError } from "../model/errors.ts";
import type { Problem } from "../model/problem.ts";
import type { DeployOutcome } from "../runs/execute-plan.ts";

/** The outcome of one of several deployments. */
export type DeploymentOutcome =
  | { readonly type: "done"; readonly deployment: Deployment; readonly outcome: DeployOutcome }
  | {
      readonly type: "refused";
      readonly deployment: Deployment;
      readonly problems: readonly Problem[];
    }
  /** A bug in qvs, to be thrown after the others were reported. */
  | { readonly type: "broken"; readonly deployment: Deployment; readonly error: unknown };

/** One after the other, dependencies first. After a failure, what depends on it is not attempted; the others continue. */
export async function deployInOrder(
  deployments: readonly Deployment[],
  deployOne: (deployment: Deployment) => Promise<DeployOutcome>,
  signal: AbortSignal,
): Promise<readonly DeploymentOutcome[]> {
  const outcomes: DeploymentOutcome[] = [];
  const failed = new Set<string>();
  const overtaken = new Set<string>();
  for (const deployment of dependenciesFirst(deployments)) {
    const cause = deployment.dependsOn.find((name) => failed.has(name));
    const newer = deployment.dependsOn.find((name) => overtaken.has(name));
    const outcome =
      cause !== undefined
        ? notAttempted(deployment, cause)
        : newer !== undefined
          ? leftToNewer(deployment, newer)
          : await attempt(deployment, deployOne, signal);
    if (!hasSucceeded(outcome)) failed.add(deployment.name);
    if (gaveWay(outcome)) overtaken.add(deployment.name);
    outcomes.push(outcome);
  }
  return outcomes;
}

function hasSucceeded(outcome: DeploymentOutcome): boolean {
  if (outcome.type !== "done") return false;
  const { outcome: done } = outcome;
  return done.type === "superseded" || done.result.succeeded || done.superseded !== undefined;
}

/** A newer run is at work on it: what depends on it would come before it is ready. */
function gaveWay(outcome: DeploymentOutcome): boolean {
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

async function attempt(
  deployment: Deployment,
  deployOne: (deployment: Deployment) => Promise<DeployOutcome>,
  signal: AbortSignal,
): Promise<DeploymentOutcome> {
  if (signal.aborted) return cancelled(deployment);
  try {
    return { type: "done", deployment, outcome: await deployOne(deployment) };
  } catch (error) {
    if (error instanceof UserError)
      return { type: "refused", deployment, problems: error.problems };
    // Once something has been changed, a cancellation is an outcome and not an error.
    return isCancellation(error, signal)
      ? cancelled(deployment)
      : { type: "broken", deployment, error };
  }
}

function cancelled(deployment: Deployment): DeploymentOutcome {
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

/** deployments.yaml is free of cycles; names outside of the given ones are deployed already or not changed. */
function dependenciesFirst(deployments: readonly Deployment[]): readonly Deployment[] {
  const byName = new Map(deployments.map((each) => [each.name, each]));
  const ordered = new Set<Deployment>();
  const visit = (deployment: Deployment) => {
    if (ordered.has(deployment)) return;
    for (const name of [...deployment.dependsOn].sort()) {
      const other = byName.get(name);
      if (other !== undefined) visit(other);
    }
    ordered.add(deployment);
  };
  for (const deployment of [...deployments].sort((a, b) => (a.name < b.name ? -1 : 1)))
    visit(deployment);
  return [...ordered];
}
