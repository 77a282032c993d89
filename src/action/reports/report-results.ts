import { lstatSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { listEntries } from "../../io/files/directories.ts";
import { annotate } from "../../io/github/annotations.ts";
import type { GitHubEvent } from "../../io/github/event.ts";
import { logLines } from "../../io/github/log.ts";
import { writeTemporary } from "../../io/github/report-files.ts";
import { writeOutputs, writeSummary } from "../../io/github/step-outputs.ts";
import { UserError, userError } from "../../model/problems/errors.ts";
import type { Problem } from "../../model/problems/problem.ts";
import { summarizeList } from "../../model/text/suggest.ts";
import { renderOutcomeSummary } from "../../report/comment/outcome-comment.ts";
import { headline, type OutcomeReport } from "../../report/outcome-report.ts";
import {
  type DeploymentResult,
  missingResult,
  readResult,
  resultText,
  supersededResult,
} from "../../report/result-file.ts";
import type { ActionContext } from "../context.ts";
import type { Inputs } from "../inputs/inputs.ts";
import { missingNotification } from "../notifications/create-notifications.ts";
import { sendNotifications } from "../notifications/send-notifications.ts";
import { notifyPullRequests } from "../pull-requests/notify-pull-requests.ts";
import { resultOutputs } from "./count-outputs.ts";

/**
 * Reports all deployments in the last job of a run, after each had a job of its own. Writes one
 * summary and comments on the merged pull requests.
 * It doesn't fail because of another job, which has failed already.
 */
export async function reportResults(
  event: GitHubEvent,
  inputs: Inputs,
  context: ActionContext,
): Promise<void> {
  const { commit, runUrl, env } = context;
  const found = readResults(resolve(env.GITHUB_WORKSPACE ?? ".", inputs.results));
  const results = addMissingResults(found, inputs.expected);
  const outcomes = results.map(({ outcome }) => outcome);
  for (const outcome of outcomes) logLines(headline(outcome));
  annotate(supersededNotices(outcomes), "notice", "QVS");
  const summary = renderOutcomeSummary(outcomes, commit, runUrl);
  if (inputs.summary && results.length > 0) writeSummary(summary, context);
  const resultPath = writeTemporary("result.json", resultText(results, commit), context);
  writeOutputs({ ...resultOutputs(results), "result-path": resultPath }, context);
  // Each job has sent the notifications of its own deployments.
  const notifications = () =>
    results
      .filter((each) => !found.includes(each))
      .map((each) => missingNotification(each.outcome, commit));
  await Promise.all([
    sendNotifications(notifications, inputs, context),
    event.type === "push" && results.length > 0
      ? notifyPullRequests(outcomes, event, inputs, context)
      : undefined,
  ]);
}

/**
 * Returns the notice about jobs that yielded to a newer run. They fail so that no later level
 * starts, and the notice says that nothing is wrong.
 */
function supersededNotices(outcomes: readonly OutcomeReport[]): readonly Problem[] {
  const left = outcomes.filter((each) => each.gaveWay === true).map((each) => each.deployment);
  if (left.length === 0) return [];
  const others = outcomes.every(({ succeeded }) => succeeded)
    ? "This run fails only because the superseded jobs keep later levels from starting"
    : "The summary shows the other failures";
  return [
    {
      code: "run-superseded",
      where: [],
      what: `A newer run took over ${summarizeList(left, maxNames)}`,
      why: `The newer run deploys the rest. ${others}`,
      fix: "Check the newer run",
    },
  ];
}

/** The most names in the notice. The summary contains all of them. */
const maxNames = 10;

/**
 * Returns the results of the expected deployments, sorted by name. Without expected names, returns
 * all results.
 * A missing result is replaced by its reason: if no deployment failed and one yielded, the later
 * levels didn't start. Other results belong to another list of deployments in the same run, which
 * reports them itself.
 */
function addMissingResults(
  all: readonly DeploymentResult[],
  expected: readonly string[],
): readonly DeploymentResult[] {
  const isOurs = ({ outcome }: DeploymentResult) => expected.includes(outcome.deployment);
  const found = expected.length === 0 ? all : all.filter(isOurs);
  const byName = new Map(found.map((each) => [each.outcome.deployment, each]));
  const gaveWay = found.find(({ outcome }) => outcome.gaveWay === true)?.outcome.deployment;
  const newer = found.every(({ outcome }) => outcome.succeeded) ? gaveWay : undefined;
  for (const name of expected)
    if (!byName.has(name))
      byName.set(name, newer === undefined ? missingResult(name) : supersededResult(name, newer));
  const names = [...byName.keys()].sort();
  return names.flatMap((name) => byName.get(name) ?? []);
}

/**
 * Reads every result.json at any depth. With several artifacts, actions/download-artifact creates a
 * directory for each.
 */
function readResults(folder: string): readonly DeploymentResult[] {
  const problems: Problem[] = [];
  const results = filesBelow(folder).flatMap((path) => {
    const read = readResult(readFileSync(path, "utf8"));
    if (read === undefined) problems.push(...unreadable(path).problems);
    return read ?? [];
  });
  if (problems.length > 0) throw new UserError(problems);
  return results;
}

/**
 * Lists the result files. A missing directory has none, because all jobs can fail before they
 * start.
 */
function filesBelow(folder: string): readonly string[] {
  const found = lstatSync(folder, { throwIfNoEntry: false });
  if (found?.isSymbolicLink() === true) throw linked(folder);
  if (found?.isDirectory() !== true) return [];
  return listEntries(folder)
    .filter((entry) => entry.isFile() && entry.name === "result.json")
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}

function linked(folder: string): UserError {
  return userError(
    "invalid-input",
    `Input results: ${folder} is a symbolic link`,
    "Download the result artifacts of this run into a separate directory",
  );
}

function unreadable(path: string): UserError {
  return userError(
    "invalid-input",
    `${path} isn't a result of this version of the Action`,
    "Use the same version of the Action in all jobs of the workflow",
  );
}
