import { describeCancellation } from "../../apply/cancellation.ts";
import { describeEvidence, publishableEvidence } from "../../apply/failure/describe-failures.ts";
import type { FailureEvidence } from "../../apply/failure/evidence.ts";
import { type Failure, toProblem } from "../../apply/summarize-run.ts";
import { type DeploymentOutcome, wasSuperseded } from "../../commands/several/deploy-changed.ts";
import { outcomeNotices, rollbackAdvice } from "../../deploying/describe-outcome.ts";
import { annotateAll } from "../../io/github/annotations.ts";
import type { GitHubEvent } from "../../io/github/event.ts";
import { logLines } from "../../io/github/log.ts";
import { writeTemporary } from "../../io/github/report-files.ts";
import { writeOutputs, writeSummary } from "../../io/github/step-outputs.ts";
import type { LockRun } from "../../model/cluster/deployment-lock.ts";
import type { Deployment } from "../../model/deployments/deployment.ts";
import type { Problem } from "../../model/problems/problem.ts";
import {
  describeAllForGitHub,
  describeForGitHub,
  inputLines,
  type ProblemLine,
  problemLines,
} from "../../model/problems/problem-text.ts";
import { renderOutcomeSummary } from "../../report/comment/outcome-comment.ts";
import type { OutcomeReport } from "../../report/outcome-report.ts";
import { renderOutcomeText } from "../../report/plans/outcome-text.ts";
import { type DeploymentResult, resultText } from "../../report/result-file.ts";
import type { ActionContext } from "../context.ts";
import type { Inputs } from "../inputs/inputs.ts";
import {
  type NotifiedOutcome,
  outcomeNotifications,
} from "../notifications/create-notifications.ts";
import { sendNotifications } from "../notifications/send-notifications.ts";
import { notifyPullRequests } from "../pull-requests/notify-pull-requests.ts";
import { countOutcome, deployedPlan, onlyApplicationUrl, resultOutputs } from "./count-outputs.ts";

/** The outcomes of a run that deployed or rolled back. */
export interface ReportedRun {
  readonly does: LockRun["does"];
  readonly outcomes: readonly DeploymentOutcome[];
}

/**
 * Reports to the log, the summary, the outputs and the comments on merged pull requests. A failed
 * deployment fails the step.
 */
export async function reportOutcomes(
  { does, outcomes: all }: ReportedRun,
  event: GitHubEvent | undefined,
  inputs: Inputs,
  context: ActionContext,
): Promise<void> {
  const reported = all.map((outcome) => ({ outcome, report: toOutcomeReport(outcome, does) }));
  const outcomes = reported.map(({ report }) => report);
  for (const outcome of outcomes) logLines(renderOutcomeText(outcome));
  const { commit, runUrl } = context;
  const summary = renderOutcomeSummary(outcomes, commit, runUrl);
  if (inputs.summary && all.length > 0) writeSummary(summary, context);
  const results = reported.map(toResult);
  writeOutputs(
    {
      ...resultOutputs(results),
      "environment-url": inputs.environmentUrl ?? onlyApplicationUrl(all) ?? "",
      "gave-way": all.some(wasSuperseded),
      // Before anything that waits for others: without this file, the last job reports a failure.
      "result-path": writeTemporary("result.json", resultText(results, commit), context),
    },
    context,
  );
  annotateOutcomes(all);
  if (all.some(hasFailed)) process.exitCode = 1;
  await Promise.all([
    sendNotifications(() => outcomeNotifications(reported, does, commit), inputs, context),
    event?.type === "push" && all.length > 0
      ? notifyPullRequests(outcomes, event, inputs, context)
      : undefined,
  ]);
}

function toResult({ outcome, report }: NotifiedOutcome): DeploymentResult {
  return {
    outcome: report,
    changes: countOutcome(outcome),
    digest: deployedPlan(outcome)?.digest,
  };
}

type AnnotationLevel = "error" | "warning" | "notice";
type ProblemsByLevel = Readonly<Partial<Record<AnnotationLevel, readonly Problem[]>>>;

function annotateOutcomes(all: readonly DeploymentOutcome[]): void {
  const annotations = all.flatMap((each) =>
    each.type === "broken" || each.type === "nothing left"
      ? []
      : [{ title: `QVS: ${each.deployment.name}`, of: reportedProblems(each) }],
  );
  for (const level of ["error", "warning", "notice"] as const)
    annotateAll(
      annotations.map(({ title, of }) => ({ title, problems: of[level] ?? [] })),
      level,
    );
}

function reportedProblems(
  each: Exclude<DeploymentOutcome, { readonly type: "broken" | "nothing left" }>,
): ProblemsByLevel {
  if (each.type === "not deleted") return { warning: [each.why] };
  if (each.type === "refused") return { error: each.problems };
  const { outcome, deployment } = each;
  if (outcome.type === "superseded") return { notice: [outcome.why] };
  const notices = outcomeNotices(outcome, deployment);
  const failures = hasFailed(each) ? outcome.result.failures : [];
  return {
    error: failures.map(toProblem),
    warning: notices.filter(isUnapproved),
    notice: notices.filter((each) => !isUnapproved(each) && each.code !== "plan-approved"),
  };
}

/** Reports whether the deployment failed. A canceled one failed too, even without an error. */
function hasFailed(each: DeploymentOutcome): boolean {
  if (each.type === "refused") return true;
  if (each.type !== "done" || each.outcome.type !== "deployed") return false;
  return each.outcome.superseded === undefined && !each.outcome.result.succeeded;
}

/** Reports whether the notice is about a deployed plan that no merge approved. */
function isUnapproved({ code }: Problem): boolean {
  return code === "plan-changed" || code === "plan-not-approved";
}

/** The fields of an outcome without a release. */
const nothing = {
  revision: undefined,
  rollbackOf: undefined,
  results: [],
  evidence: [],
  refusal: undefined,
} as const;

/**
 * Converts the result of a deployment into the report. The last lines of container logs are only in
 * the log of the run.
 */
export function toOutcomeReport(each: DeploymentOutcome, does: ReportedRun["does"]): OutcomeReport {
  const { name, environment } = each.deployment;
  const isRollback = does === "rollback";
  if (each.type === "broken") return { ...toBrokenOutcome(each), goesBack: isRollback };
  if (each.type === "not deleted" || each.type === "nothing left") return toRemovedOutcome(each);
  if (each.type === "refused") {
    const refusal = describeAllForGitHub(each.problems);
    const { hasChanged } = each;
    return {
      deployment: name,
      environment,
      succeeded: false,
      ...nothing,
      goesBack: isRollback,
      refusal,
      ...(hasChanged === undefined ? {} : { hasChanged }),
    };
  }
  const { outcome } = each;
  if (outcome.type === "superseded") return toSupersededOutcome(each.deployment, outcome.why);
  const { release, result, isNewRelease } = outcome;
  const evidence = result.failures.map(evidenceReport);
  const { revision } = release;
  const { results, stopped } = result;
  // A run that yielded to a newer one isn't a failure.
  const gaveWay = outcome.superseded !== undefined;
  const succeeded = result.succeeded || gaveWay;
  return {
    deployment: name,
    environment,
    revision,
    rollbackOf: outcome.rollbackOf,
    succeeded,
    ...(each.deletes === true ? { removal: "delete" as const } : {}),
    stopped: stopped === undefined || gaveWay ? undefined : describeCancellation(stopped),
    ...(stopped === "cancelled" && !gaveWay ? { cancelled: true } : {}),
    gaveWay,
    unchanged: !isNewRelease,
    notices: outcomeNotices(outcome, each.deployment).map((notice) =>
      notice.code === "plan-approved" ? notice.what : describeForGitHub(notice, "note"),
    ),
    waysBack: rollbackAdvice(outcome, each.deployment),
    results,
    ...(outcome.timeline === undefined ? {} : { timeline: outcome.timeline }),
    evidence,
    refusal: undefined,
  };
}

/**
 * Reports a removed deployment that wasn't changed: qvs keeps it, or the cluster contains none of
 * its objects.
 */
function toRemovedOutcome(
  each: Extract<DeploymentOutcome, { readonly type: "not deleted" | "nothing left" }>,
): OutcomeReport {
  const { name, environment } = each.deployment;
  const common = { deployment: name, environment, succeeded: true, ...nothing };
  return each.type === "nothing left"
    ? { ...common, removal: "delete", unchanged: true }
    : { ...common, removal: "keep", notices: [describeForGitHub(each.why, "note")] };
}

function toSupersededOutcome({ name, environment }: Deployment, why: Problem): OutcomeReport {
  const superseded = describeForGitHub(why, "note");
  return {
    deployment: name,
    environment,
    succeeded: true,
    superseded,
    gaveWay: why.code === "run-superseded",
    ...(why.code === "deployment-not-listed" ? { noLongerListed: true } : {}),
    ...nothing,
  };
}

function evidenceReport(failure: Failure): OutcomeReport["evidence"][number] {
  const { key, what, evidence } = failure;
  const shown = problemLines(toProblem(failure), "error");
  const facts = partTexts(shown, "fact");
  const help = [...partTexts(shown, "help"), ...inputLines(failure)];
  const all = [what, ...facts, ...help];
  if (evidence === undefined) return { key, lines: all, publicLines: all };
  const published = describeEvidence(publishableEvidence(evidence), what);
  return {
    key,
    lines: [what, ...facts, ...describeEvidence(evidence, what), ...help],
    publicLines: [what, ...facts, ...published, ...logsNote(evidence), ...help],
  };
}

function partTexts(lines: readonly ProblemLine[], part: ProblemLine["part"]): readonly string[] {
  return lines.filter((line) => line.part === part).map(({ text }) => text);
}

function logsNote({ pods }: FailureEvidence): readonly string[] {
  const hasLogs = pods.some(({ logs }) => Object.keys(logs).length > 0);
  return hasLogs ? ["(the last lines of the containers' logs are in the log of the run)"] : [];
}

/**
 * Reports an internal error. The changes so far are in the release record, and the next deployment
 * continues from them.
 */
function toBrokenOutcome({
  deployment,
  error,
}: DeploymentOutcome & { type: "broken" }): OutcomeReport {
  const { name, environment } = deployment;
  const what = error instanceof Error ? error.message : String(error);
  const publicLines = ["A bug in qvs: see the log of the run"];
  const evidence = [{ key: name, lines: [`A bug in qvs: ${what}`], publicLines }];
  return { deployment: name, environment, succeeded: false, ...nothing, evidence };
}
