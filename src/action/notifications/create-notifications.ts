import { toProblem } from "../../apply/summarize-run.ts";
import type { DeploymentOutcome } from "../../commands/several/deploy-changed.ts";
import type { DeployedOutcome } from "../../deploying/deploy-outcome.ts";
import type { GitHubEvent } from "../../io/github/event.ts";
import type { LockRun } from "../../model/cluster/deployment-lock.ts";
import { type Deployment, isNamePattern } from "../../model/deployments/deployment.ts";
import { isCancellation, UserError } from "../../model/problems/errors.ts";
import type { Problem } from "../../model/problems/problem.ts";
import { levelOutcomes } from "../../report/comment/level.ts";
import type { DriftFound } from "../../report/drift/drift-markdown.ts";
import type { Notification, ServiceEffect } from "../../report/notifications/notification.ts";
import type { OutcomeReport } from "../../report/outcome-report.ts";
import { countPlan } from "../../report/review/count-objects.ts";
import type { DeploymentReview, Review } from "../../report/review/review.ts";
import type { ActionTask } from "../choose-task.ts";
import type { RunContext } from "../context.ts";
import type { Inputs } from "../inputs/inputs.ts";
import {
  countOutcome,
  deployedPlan,
  outcomeName,
  previewOutputs,
} from "../reports/count-outputs.ts";

/** One deployment of a run, with its report. */
export interface NotifiedOutcome {
  readonly outcome: DeploymentOutcome;
  readonly report: OutcomeReport;
}

/** Returns the notifications of a run that deployed or rolled back. */
export function outcomeNotifications(
  all: readonly NotifiedOutcome[],
  does: LockRun["does"],
  commit: string,
): readonly Notification[] {
  return all.flatMap((each) => {
    const back = rollbackAfterFailure(each.outcome);
    const own = outcomeNotification(each, does, commit);
    return back === undefined ? [own] : [own, backNotification(each.outcome.deployment, back)];
  });
}

function outcomeNotification(
  { outcome, report }: NotifiedOutcome,
  does: LockRun["does"],
  runCommit: string,
): Notification {
  const { deployment } = outcome;
  const done = deployedOutcome(outcome);
  const name = outcomeName([report]);
  const isDeletion = report.removal !== undefined;
  return {
    kind: isDeletion ? "delete" : does,
    outcome: isDeletion && name === "deployed" ? "deleted" : name,
    result: taskResults.get(outcome.type === "broken" ? "broken" : name) ?? "success",
    effect: name === "deployed" ? serviceEffect(isDeletion, done) : undefined,
    deployment,
    commit: done?.isNewRelease ? done.release.source.commit : runCommit,
    release: report.revision,
    rollbackOf: report.rollbackOf,
    changes: countOutcome(outcome),
    digest: deployedPlan(outcome)?.digest,
    errors: codes(outcomeProblems(outcome)),
  };
}

/** The results of the task by the outcome. Other outcomes are a success. */
const taskResults = new Map<string, Notification["result"]>([
  ["failed", "failure"],
  ["broken", "error"],
  ["canceled", "cancel"],
  ["superseded", "cancel"],
]);

function deployedOutcome(outcome: DeploymentOutcome): DeployedOutcome | undefined {
  return outcome.type === "done" && outcome.outcome.type === "deployed"
    ? outcome.outcome
    : undefined;
}

function serviceEffect(isDeletion: boolean, done: DeployedOutcome | undefined): ServiceEffect {
  if (isDeletion) return "removed";
  if (done?.rollbackOf !== undefined) return "rolledback";
  return done?.isFirst === true ? "deployed" : "upgraded";
}

/** Returns the successful rollback after a failure, if it created a release. */
function rollbackAfterFailure(outcome: DeploymentOutcome): DeployedOutcome | undefined {
  const back = deployedOutcome(outcome)?.wentBack;
  if (back?.type !== "went back" || !back.outcome.isNewRelease) return undefined;
  return back.outcome.result.succeeded ? back.outcome : undefined;
}

function backNotification(
  deployment: Deployment,
  { release, plan }: DeployedOutcome,
): Notification {
  return {
    kind: "rollback",
    outcome: "deployed",
    result: "success",
    effect: "rolledback",
    deployment,
    commit: release.source.commit,
    release: release.revision,
    rollbackOf: release.rollbackOf,
    changes: countPlan(plan),
    digest: plan.digest,
  };
}

function outcomeProblems(outcome: DeploymentOutcome): readonly Pick<Problem, "code">[] {
  if (outcome.type === "refused") return outcome.problems;
  if (outcome.type === "not deleted") return [outcome.why];
  const done = deployedOutcome(outcome);
  return done?.superseded === undefined ? (done?.result.failures.map(toProblem) ?? []) : [];
}

/** One preview of a run. */
interface ReportedPreview {
  readonly review: DeploymentReview;
  /** True if the preview fails its job. */
  readonly failed: boolean;
}

/** The previews of a run, and the errors that prevent all of them. */
interface ReportedPreviews extends Pick<Review, "headCommit" | "pullRequest" | "previewProblems"> {
  readonly previews: readonly ReportedPreview[];
}

/** Returns the notifications of previews. */
export function previewNotifications({
  previews,
  previewProblems,
  headCommit: commit,
  pullRequest,
}: ReportedPreviews): readonly Notification[] {
  const about = { kind: "preview", commit, pullRequest } as const;
  if (previewProblems !== undefined) {
    const outcome = levelOutcomes.stop;
    return [{ ...about, outcome, result: "failure", errors: codes(previewProblems) }];
  }
  return previews.map(({ review, failed }) => ({
    ...about,
    outcome: String(previewOutputs({ deployments: [review], failed }).outcome),
    result: failed ? "failure" : "success",
    deployment: review,
    release: review.release,
    changes: review.counts,
    digest: review.digest,
    findings: review.findings.map(({ code, severity }) => ({ code, severity })),
    errors: codes([...review.problems, ...review.blockers]),
  }));
}

/** Returns the notification about the drift of one deployment. */
export function driftNotification(
  deployment: Deployment,
  { drift, corrected, refused = [] }: DriftFound,
  commit: string,
): Notification {
  const problems = [...(drift.status === "unknown" ? drift.blockers : []), ...refused];
  return {
    kind: "drift",
    outcome: corrected === undefined ? drift.status : "corrected",
    result: problems.length > 0 ? "failure" : "success",
    deployment,
    commit,
    release: drift.release,
    drifted: drift.objects.length,
    findings: drift.findings.map(({ code, severity }) => ({ code, severity })),
    errors: codes(problems),
  };
}

/**
 * Returns the notification about a deployment whose job left no result. It has the ID of the
 * notification that the job itself sends after an early error.
 */
export function missingNotification(report: OutcomeReport, commit: string): Notification {
  const { deployment: name, environment } = report;
  const outcome = outcomeName([report]);
  const result = taskResults.get(outcome) ?? "success";
  return { kind: "deploy", outcome, result, deployment: { name, environment }, commit };
}

/** A run that ended before the first deployment. */
interface FailedRun extends Pick<RunContext, "signal" | "commit"> {
  readonly mode: ActionTask["mode"];
  readonly event: Pick<GitHubEvent, "type">;
  readonly inputs: Pick<Inputs, "names" | "dryRun" | "revision">;
}

/**
 * Returns the notifications about a run that ended before the first deployment: one for each
 * deployment that the input names, or one without a name. Returns none for a bug, and for a task
 * that changes and previews nothing.
 */
export function failedRunNotification(
  error: unknown,
  { mode, event, inputs, signal, commit }: FailedRun,
): readonly Notification[] {
  const kind = runKinds.get(mode);
  if (kind === undefined || isListOfPreviews(mode, event) || changesNothing(mode, inputs))
    return [];
  const failure = failureOf(error, signal);
  if (failure === undefined) return [];
  const names = inputs.names.filter((name) => !isNamePattern(name));
  const deployments = names.length === 0 ? [undefined] : names.map((name) => ({ name }));
  return deployments.map((deployment) => ({ kind, commit, deployment, ...failure }));
}

/** Returns the end of a run that failed or was canceled; undefined for a bug. */
function failureOf(
  error: unknown,
  signal: AbortSignal,
): Pick<Notification, "outcome" | "result" | "errors"> | undefined {
  if (isCancellation(error, signal)) return { outcome: "canceled", result: "cancel" };
  if (!(error instanceof UserError)) return undefined;
  return { outcome: "failed", result: "failure", errors: codes(error.problems) };
}

function isListOfPreviews(mode: ActionTask["mode"], { type }: Pick<GitHubEvent, "type">): boolean {
  return mode === "list" && (type === "pull_request" || type === "merge_group");
}

/** Reports whether a rollback only shows its preview or the list of releases. */
function changesNothing(
  mode: ActionTask["mode"],
  { dryRun, revision }: Pick<Inputs, "dryRun" | "revision">,
): boolean {
  return mode === "rollback" && (dryRun || revision === "");
}

/** The kinds of runs by mode. A deployment whose list fails doesn't start. */
const runKinds = new Map<ActionTask["mode"], Notification["kind"]>([
  ["diff", "preview"],
  ["list", "deploy"],
  ["deploy", "deploy"],
  ["rollback", "rollback"],
  ["drift", "drift"],
]);

function codes(problems: readonly Pick<Problem, "code">[]): readonly string[] | undefined {
  return problems.length === 0 ? undefined : [...new Set(problems.map(({ code }) => code))];
}
