import { type Failure, toProblem } from "../apply/summarize-run.ts";
import type { ObjectResult, Release } from "../model/deployments/release.ts";
import { releasesSince } from "../model/deployments/release-history.ts";
import { catchProblems, UserError, userError } from "../model/problems/errors.ts";
import type { Problem } from "../model/problems/problem.ts";
import { problemDetails } from "../model/problems/problem-text.ts";
import type { DesiredState } from "../planning/desired-state.ts";
import type { World } from "../ports/world.ts";
import { readReleases } from "../releases/store.ts";
import type { DeployedOutcome, DeployOutcome } from "./deploy-outcome.ts";
import { executePlan } from "./execute-plan.ts";
import { loadRelease } from "./load-release.ts";
import type { DeployContext } from "./with-lock.ts";

/** The outcome of a rollback after a failure. */
export type FailureRollback =
  | { readonly type: "went back"; readonly to: number; readonly outcome: DeployedOutcome }
  /** The rollback was blocked, and nothing was changed after the failure. */
  | { readonly type: "refused"; readonly problems: readonly Problem[] };

/**
 * Restores the newest successful release after a failed deployment
 * (docs/reference/deployment.md#rollback-after-a-failure).
 * It is a new release with the same planner and lock, but it changes only objects that were changed
 * since. A run that was stopped isn't rolled back: a user stopped it, or another run is in
 * progress.
 */
export async function rollBackAfterFailure(
  world: World,
  context: DeployContext,
  outcome: DeployOutcome,
): Promise<DeployOutcome> {
  if (outcome.type === "superseded" || !hasFailed(outcome)) return outcome;
  const { lock } = context;
  if (lock.lost.aborted || lock.yieldRequested.aborted || world.signal.aborted) return outcome;
  const attempt = await catchProblems(() => rollBack(world, context, outcome));
  const wentBack = attempt.ok
    ? attempt.value
    : { type: "refused" as const, problems: attempt.problems };
  return { ...outcome, wentBack };
}

/**
 * Reports whether the deployment failed without being stopped, after a change, and its end was
 * recorded.
 */
function hasFailed({ release, result, isNewRelease, superseded }: DeployedOutcome): boolean {
  const hasStopped = result.stopped !== undefined || superseded !== undefined;
  return isNewRelease && release.status === "failed" && !hasStopped;
}

async function rollBack(
  world: World,
  context: DeployContext,
  { release }: DeployedOutcome,
): Promise<FailureRollback> {
  const recorded = await readReleases(context.lock.cluster, context.deployment, world);
  if (!recorded.ok) throw new UserError(recorded.problems);
  const to = recorded.value.current?.revision;
  if (to === undefined) throw noSuccessfulRelease();
  world.progress(context.deployment).report({ type: "going-back", to });
  const loaded = await loadRelease(world, context.target, context.deployment, {
    to,
    allowFailed: false,
  });
  const newer = releasesSince(recorded.value, to);
  const since = [release, ...newer.filter(({ revision }) => revision !== release.revision)];
  const desired: DesiredState = { ...loaded, onlyKeys: changedKeys(since) };
  // The approval and the announcement are for the deployment, not for this rollback.
  const request = { ...context.request, expected: undefined };
  const rollback = { ...context, request, announce: undefined };
  const outcome = await executePlan(world, rollback, desired);
  if (outcome.type === "superseded") return { type: "refused", problems: [outcome.why] };
  return { type: "went back", to, outcome };
}

/**
 * Returns the objects that these releases might have changed. Undefined means all, because a killed
 * run recorded no results.
 */
function changedKeys(releases: readonly Release[]): ReadonlySet<string> | undefined {
  if (releases.some(({ status }) => status === "pending")) return undefined;
  const results = releases.flatMap((release) => release.results);
  return new Set(
    results.filter(({ outcome }) => changingOutcomes.has(outcome)).map(({ key }) => key),
  );
}

const changingOutcomes: ReadonlySet<ObjectResult["outcome"]> = new Set([
  "created",
  "updated",
  "replaced",
  "deleted",
  "failed",
]);

function noSuccessfulRelease() {
  const fix = "Fix the failure and deploy again";
  return userError("release-not-found", "No earlier release succeeded", fix);
}

function describeFailure(failure: Failure): string {
  return problemDetails({ ...toProblem(failure), what: `${failure.name}: ${failure.what}` });
}

/**
 * Returns the notices about a rollback after a failure, with the failed and the restored release.
 */
export function rollbackNotices(rollback: FailureRollback | undefined): readonly Problem[] {
  if (rollback === undefined) return [];
  if (rollback.type === "refused") {
    return rollback.problems.map((problem) => ({
      ...problem,
      subjects: undefined,
      what: "The rollback after the failure was blocked",
      facts: [{ label: "reason", value: problem.what }, ...(problem.facts ?? [])],
    }));
  }
  const { to, outcome } = rollback;
  const { release, result, plan } = outcome;
  const changed = result.results.filter(({ outcome: each }) => changingOutcomes.has(each)).length;
  const objects = changed === 1 ? "1 object" : `${changed} objects`;
  const common = { code: "automatic-rollback" as const, where: [] };
  const ended: Problem = result.succeeded
    ? {
        ...common,
        what: `Release ${release.revision} restored release ${to} after the failure`,
        facts: [{ label: "changed", value: objects }],
        fix: "Fix the failure and push: the next push that changes this deployment deploys it again",
      }
    : {
        ...common,
        what: `Release ${release.revision} failed to restore release ${to} after the failure`,
        facts: result.failures.map((failure) => ({
          label: "failed",
          value: describeFailure(failure),
        })),
        fix: "Run qvs status to see the state of each object",
        otherwise: ["run the deployment again, which continues from the current state"],
      };
  return [ended, ...plan.notices];
}
