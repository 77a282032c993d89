import { describeFailures } from "../../apply/failure/describe-failures.ts";
import { toProblem } from "../../apply/summarize-run.ts";
import type { EnvironmentList } from "../../commands/environments/delete-environment.ts";
import { type DeploymentOutcome, hasSucceeded } from "../../commands/several/deploy-changed.ts";
import type { DeployOutcome } from "../../deploying/deploy-outcome.ts";
import { describeRelease, outcomeNotices } from "../../deploying/describe-outcome.ts";
import { annotate } from "../../io/github/annotations.ts";
import { logLines } from "../../io/github/log.ts";
import { openPullRequest } from "../../io/github/pull-request.ts";
import type { PullRequestFacts } from "../../io/github/pull-request-facts.ts";
import { writeOutputs, writeSummary } from "../../io/github/step-outputs.ts";
import type { Deployment } from "../../model/deployments/deployment.ts";
import type { Problem } from "../../model/problems/problem.ts";
import { describeAllForGitHub } from "../../model/problems/problem-text.ts";
import type { ActionContext, GitHubAccess } from "../context.ts";
import { bestEffortGitHub, openOptionalClient } from "../github-errors.ts";
import type { Inputs } from "../inputs/inputs.ts";
import type { GitHubRecorder } from "../reports/record-on-github.ts";
import {
  renderEnvironments,
  type ShownEnvironment,
  syncEnvironmentComment,
} from "./environment-comment.ts";

/** The pull request of reported outcomes. */
interface ReportedPullRequest extends Pick<PullRequestFacts, "number"> {
  readonly head?: string | undefined;
  /** Its environments that this run didn't change. The comment shows them too. */
  readonly remaining?: readonly ShownEnvironment[];
}

type ReportedOutcome = DeploymentOutcome & {
  /** Explains a deletion that nothing on the pull request shows; a sentence without a period. */
  readonly whyDeleted?: string | undefined;
};

type ReportInputs = Pick<Inputs, "summary" | "comment" | "token">;
type ReportContext = Pick<ActionContext, keyof GitHubAccess | "repository" | "runUrl">;

/** Shows the outcomes of a pull request, then throws an error that is a bug in qvs. */
export async function reportEnvironments(
  pullRequest: ReportedPullRequest,
  outcomes: readonly DeploymentOutcome[],
  owner: EnvironmentList,
  inputs: ReportInputs,
  context: ReportContext,
): Promise<void> {
  await showEnvironments(pullRequest, outcomes, owner, inputs, context);
  throwBroken(outcomes);
}

/**
 * Shows the outcomes of a pull request in the log, the summary and the comment. The step fails if
 * one failed. An outcome that a newer run superseded leaves the comment to that run.
 */
export async function showEnvironments(
  { number, head, remaining = [] }: ReportedPullRequest,
  outcomes: readonly ReportedOutcome[],
  { list }: Pick<EnvironmentList, "list">,
  inputs: ReportInputs,
  context: ReportContext,
): Promise<void> {
  for (const outcome of outcomes) logOutcome(outcome);
  if (outcomes.some((each) => !hasSucceeded(each))) process.exitCode = 1;
  const changed = outcomes.flatMap((outcome) => shownEnvironment(outcome) ?? []);
  if (changed.length === 0) return;
  const shown = [...changed, ...remaining].toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const text = renderEnvironments(shown, { commit: head, runUrl: context.runUrl });
  if (inputs.summary) writeSummary(text, context);
  const create = changed.some(({ state }) => state !== "deleted");
  await writeComment(number, { list, text, create }, inputs, context);
}

/**
 * Ends the GitHub deployments of deleted environments. An environment whose namespace is kept still
 * exists, so its GitHub deployment keeps its state until a later run deletes the rest.
 */
export function recordDeletions(
  outcomes: readonly DeploymentOutcome[],
  recorder: Pick<GitHubRecorder, "isOn" | "deleted">,
): void {
  const byState = Map.groupBy(outcomes, (outcome) => shownEnvironment(outcome)?.state);
  for (const { deployment } of byState.get("deleted") ?? []) recorder.deleted(deployment);
  const kept = (byState.get("kept") ?? []).map(({ deployment }) => stillActive(deployment));
  if (kept.length === 0 || !recorder.isOn) return;
  annotate(kept, "notice", "QVS");
  logLines(describeAllForGitHub(kept));
}

function stillActive({ name }: Deployment): Problem {
  return {
    code: "kept-object",
    where: [],
    what: `The GitHub deployment of "${name}" keeps its state`,
    why: "The environment isn't deleted completely",
    fix: "Nothing to do: the run that deletes the rest ends the GitHub deployment",
  };
}

/** Throws the first error that is a bug in qvs. */
export function throwBroken(outcomes: readonly DeploymentOutcome[]): void {
  const broken = outcomes.find((each) => each.type === "broken");
  if (broken?.type === "broken") throw broken.error;
}

function logOutcome(outcome: DeploymentOutcome): void {
  const { deployment } = outcome;
  if (outcome.type === "done") logRun(outcome.outcome, deployment);
  if (outcome.type === "nothing left") logLines(`${deployment.name}: nothing is recorded.`);
  if (outcome.type === "not deleted") logLines(describeAllForGitHub([outcome.why]));
  if (outcome.type !== "refused") return;
  logLines(describeAllForGitHub(outcome.problems));
  annotate(outcome.problems, "error", `QVS: ${deployment.name}`);
}

function logRun(run: DeployOutcome, deployment: Deployment): void {
  if (run.type === "superseded") {
    logLines(describeAllForGitHub([run.why]));
    return;
  }
  const notices = outcomeNotices(run, deployment);
  annotate(notices, "notice", `QVS: ${deployment.name}`);
  if (notices.length > 0) logLines(describeAllForGitHub(notices));
  if (!run.result.succeeded) logLines(describeFailures(run.result, []));
  logLines(`${deployment.name} ${describeRelease(run)}`);
}

/** Returns the environment for the comment; undefined if another run reports it. */
function shownEnvironment(outcome: ReportedOutcome): ShownEnvironment | undefined {
  const { name, environmentOf } = outcome.deployment;
  const isDeletion = environmentOf === undefined;
  switch (outcome.type) {
    case "nothing left":
      return { name, state: "deleted", details: deletionDetails(outcome) };
    case "done": {
      const run = outcome.outcome;
      if (run.type === "superseded") return undefined;
      const details = [
        describeRelease(run),
        ...run.result.failures.map((one) => toProblem(one).what),
      ];
      if (!run.result.succeeded) return { name, state: isDeletion ? "kept" : "failed", details };
      if (!isDeletion) return { name, state: "ready", details, url: environmentOf.url };
      return run.remainder === "kept objects"
        ? { name, state: "kept", details: ["its namespace contains objects of others"] }
        : { name, state: "deleted", details: deletionDetails(outcome) };
    }
    case "refused":
      return {
        name,
        state: isDeletion ? "kept" : "blocked",
        details: outcome.problems.flatMap(({ what, fix }) => [what, `Fix: ${fix}`]),
      };
    default:
      return { name, state: "failed", details: ["see the log of the run"] };
  }
}

function deletionDetails({ whyDeleted }: ReportedOutcome): readonly string[] {
  return whyDeleted === undefined ? [] : [whyDeleted];
}

async function writeComment(
  number: number,
  comment: Parameters<typeof syncEnvironmentComment>[1],
  inputs: ReportInputs,
  context: ReportContext,
): Promise<void> {
  if (inputs.comment === "never") return;
  const output = { doing: "write the comment", unless: "comment: never" };
  const client = openOptionalClient(output, context, inputs);
  if (client === undefined) return;
  await bestEffortGitHub(output.doing, async () => {
    const pullRequest = openPullRequest(client, context.repository, number);
    writeOutputs({ "comment-url": await syncEnvironmentComment(pullRequest, comment) }, context);
  });
}
