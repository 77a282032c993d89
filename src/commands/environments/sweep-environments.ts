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
  /** True if qvs deleted it because its lifetime had ended when qvs decided. */
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
    const decided = await decide(world, found, sweep);
    if (decided.keeps?.code === "environment-state-unknown") notices.push(decided.keeps);
    const outcome =
      decided.keeps === undefined ? await deleteOne(world, found, sweep, decided) : undefined;
    if (outcome !== undefined) outcomes.push(outcome);
    if (outcome === undefined || isKept(outcome)) remaining.push(found);
  }
  return { outcomes, remaining, notices };
}

/** Reports whether the environment turned out to be needed under its lock. */
function isKept(outcome: DeploymentOutcome): boolean {
  return outcome.type === "done" && outcome.outcome.type === "superseded";
}

/**
 * Deletes an environment. The decision under its lock counts: the lifetime can end while qvs
 * deletes an environment for another reason.
 */
async function deleteOne(
  world: World,
  found: LiveEnvironment,
  sweep: Sweep,
  beforeLock: SweepDecision,
): Promise<SweptEnvironment> {
  const { deployment, environment } = found;
  let { isExpired } = beforeLock;
  const done = await attempt(
    deployment,
    () =>
      deleteEnvironment(world, found, sweep.owner, sweep.request, async (state) => {
        const decided = await decide(world, { ...state, deployment }, sweep);
        isExpired = decided.isExpired;
        return decided.keeps;
      }),
    world,
  );
  const facts = { environment, isExpired };
  if (done.type !== "done") return { ...done, ...facts };
  const { outcome } = done;
  return outcome.type === "nothing left"
    ? { type: "nothing left", deployment, ...facts }
    : { type: "done", deployment, outcome, deletes: true, ...facts };
}

interface SweepDecision {
  /** The reason to keep the environment; undefined to delete it. */
  readonly keeps: Problem | undefined;
  /** True if qvs deletes it because its lifetime has ended. */
  readonly isExpired: boolean;
}

/** Decides from the facts that are true now, before anything is deleted. */
async function decide(
  world: World,
  found: EnvironmentState & Pick<LiveEnvironment, "deployment">,
  { stateOf }: Sweep,
): Promise<SweepDecision> {
  if (hasExpired(found, world.clock.now().toISOString()))
    return { keeps: undefined, isExpired: true };
  const state = await stateOf(found.environment.number);
  return { keeps: keepReason(found, state), isExpired: false };
}

/** Returns the reason to keep an environment that hasn't expired; undefined to delete it. */
function keepReason(
  found: EnvironmentState & Pick<LiveEnvironment, "deployment">,
  state: PullRequestState,
): Problem | undefined {
  if (state === "closed") return undefined;
  const { number } = found.environment;
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
