import { toProblem } from "../../apply/summarize-run.ts";
import type {
  EnvironmentOutcome,
  SweepResult,
} from "../../commands/environments/sweep-environments.ts";
import type { DeploymentOutcome } from "../../commands/several/deploy-changed.ts";
import type { DeployOutcome } from "../../deploying/deploy-outcome.ts";
import { outcomeNotices } from "../../deploying/describe-outcome.ts";
import type { Deployment } from "../../model/deployments/deployment.ts";
import type { PreviewEnvironment } from "../../model/deployments/preview-environment.ts";
import type { JsonObject } from "../../model/json.ts";
import { UserError } from "../../model/problems/errors.ts";
import type { Problem } from "../../model/problems/problem.ts";
import { problemJson } from "../../report/report-json.ts";
import { plural } from "../../report/text/counts.ts";
import type { DeploymentOptions } from "../flags/options.ts";
import { print } from "../output/print.ts";
import { exitCode, reportProblems } from "../output/report-failure.ts";
import { reportOutcome } from "../output/show-outcome.ts";
import type { Shell } from "../program/shell.ts";
import { type AnswerFlags, printDocument, printNotices } from "../queries/answer.ts";
import { isCanceled, worstExitCode } from "../several/run-several.ts";

type ReportFlags = AnswerFlags & Pick<DeploymentOptions, "quiet">;

/** One environment, with the deployment that the run works on. */
interface DeploymentInEnvironment {
  readonly deployment: Deployment;
  readonly environment: PreviewEnvironment;
}

/**
 * Runs the work for one environment and prints its outcome. With another format than text, the
 * document contains the errors too, and stderr has the text.
 */
export async function reportRun(
  { deployment, environment }: DeploymentInEnvironment,
  work: () => Promise<DeployOutcome | { readonly type: "nothing left" }>,
  flags: ReportFlags,
  shell: Shell,
): Promise<number> {
  const about = { deployment, environment };
  try {
    const outcome = await work();
    const end: EnvironmentOutcome =
      outcome.type === "nothing left"
        ? { ...about, type: "nothing left" }
        : { ...about, type: "done", outcome };
    const code = reportText(end, textShell(flags, shell));
    const url = readyUrl(end);
    if (url !== undefined) print(textShell(flags, shell).stdout, url);
    printEnds([end], [], flags, shell);
    return code;
  } catch (error) {
    if (error instanceof UserError)
      printEnds([{ ...about, type: "refused", problems: error.problems }], [], flags, shell);
    throw error;
  }
}

/** Prints the outcome of each environment of a sweep. Returns the worst exit code. */
export function reportSweep(
  { outcomes, notices }: SweepResult,
  flags: ReportFlags,
  shell: Shell,
): number {
  const texts = textShell(flags, shell);
  printNotices(texts, flags, notices);
  const codes = outcomes.map((end) => reportSwept(end, texts));
  if (outcomes.length === 0) print(texts.stdout, `${plural(0, "environment")} to delete`);
  printEnds(outcomes, notices, flags, shell);
  const broken = outcomes.find((end) => end.type === "broken");
  if (broken?.type === "broken") throw broken.error;
  return worstExitCode(codes);
}

/** Returns the shell for text. A document has stdout for itself. */
function textShell({ format }: AnswerFlags, shell: Shell): Shell {
  return format === "json" || format === "yaml" ? { ...shell, stdout: shell.stderr } : shell;
}

function printEnds(
  ends: readonly EnvironmentOutcome[],
  notices: readonly Problem[],
  flags: AnswerFlags,
  shell: Shell,
): void {
  printDocument(shell, flags, () => ({
    environments: ends.map(endJson),
    notices: notices.map(problemJson),
  }));
}

function reportSwept(end: EnvironmentOutcome, shell: Shell): number {
  const code = reportText(end, shell);
  // A run that found the environment needed again did its work.
  return end.type === "done" && code === exitCode.superseded ? exitCode.done : code;
}

function reportText(end: DeploymentOutcome, shell: Shell): number {
  const { deployment } = end;
  switch (end.type) {
    case "done":
      return reportOutcome(end.outcome, deployment, shell);
    case "nothing left": {
      const { name, namespace } = deployment;
      print(shell.stdout, `${name}: nothing is recorded in namespace ${namespace}`);
      return exitCode.done;
    }
    case "refused":
      reportProblems(end.problems, shell.stderr);
      return isCanceled(end) ? exitCode.interrupted : exitCode.user;
    case "not deleted":
    case "broken":
      return exitCode.user;
  }
}

/** Returns an outcome as JSON (docs/reference/cli/environments.md#format). */
function endJson(end: EnvironmentOutcome): JsonObject {
  const { deployment, environment } = end;
  const outcome = outcomeWord(end);
  const run = end.type === "done" && end.outcome.type === "deployed" ? end.outcome : undefined;
  const notices = run === undefined ? [] : outcomeNotices(run, deployment);
  return {
    ...{ number: environment.number, deployment: deployment.name },
    ...{ namespace: environment.namespace, entry: environment.entry },
    releases: deployment.namespace,
    outcome,
    // A complete deletion also deletes its record.
    release: (outcome === "deleted" ? undefined : run?.release.revision) ?? null,
    url: readyUrl(end) ?? null,
    problems: problemsOf(end).map(problemJson),
    notices: notices.map(problemJson),
  };
}

/** Returns the address of an environment that is ready. */
function readyUrl(end: DeploymentOutcome): string | undefined {
  const isReady = ["deployed", "unchanged"].includes(outcomeWord(end));
  return isReady ? end.deployment.environmentOf?.url : undefined;
}

function outcomeWord(end: DeploymentOutcome): string {
  if (end.type === "nothing left") return "absent";
  if (end.type === "refused") return isCanceled(end) ? "canceled" : "blocked";
  if (end.type !== "done") return "failed";
  const { outcome, deployment } = end;
  if (outcome.type === "superseded" || outcome.superseded !== undefined) return "superseded";
  const { result, remainder, isNewRelease } = outcome;
  if (!result.succeeded) return result.stopped === "cancelled" ? "canceled" : "failed";
  if (deployment.environmentOf === undefined)
    return remainder === "kept objects" ? "kept" : "deleted";
  return isNewRelease ? "deployed" : "unchanged";
}

function problemsOf(end: DeploymentOutcome): readonly Problem[] {
  if (end.type === "refused") return end.problems;
  if (end.type !== "done") return [];
  const { outcome } = end;
  return outcome.type === "superseded" ? [outcome.why] : outcome.result.failures.map(toProblem);
}
