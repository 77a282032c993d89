import {
  isOwnedBy,
  type LiveEnvironment,
  readEnvironments,
} from "../../deploying/queries/read-environments.ts";
import type { Deployment } from "../../model/deployments/deployment.ts";
import { type EnvironmentState, hasExpired } from "../../model/deployments/environment-state.ts";
import type { Problem } from "../../model/problems/problem.ts";
import type { World } from "../../ports/world.ts";
import type { DeploymentOutcome } from "../several/deploy-changed.ts";
import { attempt } from "../several/run-in-order.ts";
import type { EnvironmentRun } from "./create-environment.ts";
import { deleteEnvironment, type EnvironmentList } from "./delete-environment.ts";

/** The state of a pull request, asked again for each decision. */
export type PullRequestState = "open" | "closed" | { readonly unknown: MissingAnswer };

/** The reason why a state is unknown, and its fix. Both are sentences without a period. */
type MissingAnswer = Readonly<Record<"why" | "fix", string>>;

export interface Sweep {
  readonly owner: EnvironmentList;
  /** All entries of the list. */
  readonly entries: readonly Deployment[];
  readonly request: EnvironmentRun;
  stateOf(number: number): Promise<PullRequestState>;
}

/** The outcome for one environment, with its record. */
export type EnvironmentOutcome = DeploymentOutcome & Pick<LiveEnvironment, "environment">;

export type SweptEnvironment = EnvironmentOutcome & {
  /** True if its lifetime has ended. False if its pull request is closed. */
  readonly isExpired: boolean;
};

export interface SweepResult {
  readonly outcomes: readonly SweptEnvironment[];
  /** The environments that it kept, as it read them. */
  readonly remaining: readonly LiveEnvironment[];
  /** Notices about environments whose need is unknown. */
  readonly notices: readonly Problem[];
}

/**
 * Deletes the environments of a repository's list that have expired, or whose pull requests are
 * closed. It decides again under the lock of each, because a deployment can have renewed it.
 */
export async function sweepEnvironments(world: World, sweep: Sweep): Promise<SweepResult> {
  const { environments, unreadable } = await readEnvironments(world, sweep.entries);
  const outcomes: SweptEnvironment[] = [];
  const remaining: LiveEnvironment[] = [];
  const notices: Problem[] = [...unreadable];
  for (const found of environments.filter((each) => isOwnedBy(each, sweep.owner))) {
    const why = await keepReason(world, found, sweep);
    if (why?.code === "environment-state-unknown") notices.push(why);
    const outcome = why === undefined ? await deleteOne(world, found, sweep) : undefined;
    const { environment } = found;
    const isExpired = hasExpired(found, world.clock.now().toISOString());
    if (outcome !== undefined) outcomes.push({ ...outcome, environment, isExpired });
    if (outcome === undefined || isKept(outcome)) remaining.push(found);
  }
  return { outcomes, remaining, notices };
}

/** Reports whether the environment turned out to be needed under its lock. */
function isKept(outcome: DeploymentOutcome): boolean {
  return outcome.type === "done" && outcome.outcome.type === "superseded";
}

async function deleteOne(
  world: World,
  found: LiveEnvironment,
  sweep: Sweep,
): Promise<DeploymentOutcome> {
  const { deployment } = found;
  const done = await attempt(
    deployment,
    () =>
      deleteEnvironment(world, found, sweep.owner, sweep.request, (state) =>
        keepReason(world, { ...state, deployment }, sweep),
      ),
    world,
  );
  if (done.type !== "done") return done;
  const { outcome } = done;
  return outcome.type === "nothing left"
    ? { type: "nothing left", deployment }
    : { type: "done", deployment, outcome, deletes: true };
}

/** Returns the reason to keep an environment; undefined to delete it. */
async function keepReason(
  world: World,
  found: EnvironmentState & Pick<LiveEnvironment, "deployment">,
  { stateOf }: Sweep,
): Promise<Problem | undefined> {
  if (hasExpired(found, world.clock.now().toISOString())) return undefined;
  const { number } = found.environment;
  const state = await stateOf(number);
  if (state === "closed") return undefined;
  const { name } = found.deployment;
  if (typeof state === "object") return stateUnknown(`qvs keeps "${name}"`, number, state.unknown);
  if (found.isDeleting) return undefined;
  return found.expiresAt === undefined ? neverExpires(name) : stillNeeded(found);
}

/** Returns the notice about an environment that someone deployed again, or whose end is later. */
function stillNeeded({
  deployment: { name },
  environment: { number },
}: Pick<LiveEnvironment, "deployment" | "environment">): Problem {
  return {
    code: "run-superseded",
    where: [],
    what: `"${name}" is still needed`,
    why: `Pull request #${number} is open, and the environment hasn't expired`,
    fix: "Nothing to do: qvs keeps the environment",
  };
}

/** Returns the reason to change nothing without an answer about the pull request. */
export function stateUnknown(what: string, number: number, { why, fix }: MissingAnswer): Problem {
  return {
    code: "environment-state-unknown",
    where: [],
    what,
    why: `The state of pull request #${number} is unknown. ${why}`,
    fix,
  };
}

function neverExpires(name: string): Problem {
  return {
    code: "environment-state-unknown",
    where: [],
    what: `"${name}" never expires`,
    why: "Its record contains no possible time",
    fix: "Delete it with qvs environments delete if no one needs it",
  };
}
