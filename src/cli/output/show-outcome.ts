import { describeFailures } from "../../apply/failure/describe-failures.ts";
import type { DeployedOutcome, DeployOutcome } from "../../deploying/deploy-outcome.ts";
import {
  describeRelease,
  outcomeNotices,
  rollbackAdvice,
} from "../../deploying/describe-outcome.ts";
import { type DryRunPlan, describeRollbackTarget } from "../../deploying/plan-without-lock.ts";
import type { Deployment } from "../../model/deployments/deployment.ts";
import { elapsedText } from "../../model/text/duration.ts";
import type { World } from "../../ports/world.ts";
import { joined } from "../../redaction/shown.ts";
import { paint, plainText, terminal } from "../../redaction/terminal.ts";
import { dottedLines } from "../../redaction/wrap.ts";
import { countResults } from "../../report/outcome-report.ts";
import { renderPlanText } from "../../report/plans/plan-text.ts";
import { type Output, outputColumns, type Shell } from "../program/shell.ts";
import { outputLooks, print, printReport } from "./print.ts";
import { exitCode, reportProblems } from "./report-failure.ts";
import { createExcerptFinder, printProblem } from "./show-problem.ts";

export function currentTime({ clock }: World): string {
  return clock.now().toISOString();
}

/**
 * Prints the plan to stdout like a preview. Below it, it prints the blockers or the flag that
 * executes exactly this plan.
 */
export function showDryRun(preview: DryRunPlan, now: string, shell: Shell): number {
  const { planned } = preview;
  const { stdout, stderr, cwd } = shell;
  showPlan(preview, now, stdout);
  if (!planned.executable) {
    reportProblems(planned.blockers, stderr, {
      findExcerpt: createExcerptFinder(cwd()),
      changed: "nothing",
      followsPlan: planned.plan !== undefined,
    });
    return exitCode.user;
  }
  const digest = planned.plan.digest.slice(0, 12);
  printReport(
    stderr,
    `Nothing was changed. To execute only this plan, add --expect-digest ${digest}`,
  );
  return exitCode.done;
}

export function showPlan(preview: DryRunPlan, now: string, to: Output): void {
  const { planned, attributions } = preview;
  const { plan, findings } = planned;
  const back = describeRollbackTarget(preview, now);
  if (back !== undefined) printReport(to, `Rollback to ${back}:\n`);
  if (plan !== undefined)
    to.write(
      renderPlanText(plan, outputLooks(to), findings, {
        ...{ attributions, now, rollback: planned.rollback },
      }),
    );
}

/** Prints the result; on a terminal with its duration and counts, which logs show elsewhere. */
function printResult(outcome: DeployedOutcome, stdout: Output): void {
  const { plan, result, timeline } = outcome;
  const words = `${plan.deployment} ${describeRelease(outcome)}`;
  if (!stdout.isTTY) {
    print(stdout, words);
    return;
  }
  const counts = countResults(result.results);
  const parts = [
    `${result.succeeded ? "✔" : "✖"} ${words}`,
    ...(timeline === undefined ? [] : [elapsedText(timeline.ended - timeline.began)]),
    ...(counts === "" ? [] : [counts]),
  ];
  const lines = dottedLines(parts.map(plainText), outputColumns(stdout)).map((line) =>
    paint(result.succeeded ? "green" : "red", line, stdout),
  );
  stdout.write(terminal`${joined(lines, "\n")}\n`);
}

/**
 * Prints the result and, after a failure, the causes and ways back. The progress is printed
 * already.
 */
export function reportOutcome(
  outcome: DeployOutcome,
  deployment: Deployment,
  { stdout, stderr }: Shell,
): number {
  if (outcome.type === "superseded") {
    printProblem(stderr, outcome.why, "note");
    print(stdout, `${deployment.name} superseded`);
    return outcome.why.code === "run-superseded" ? exitCode.superseded : exitCode.done;
  }
  const { result } = outcome;
  for (const notice of outcomeNotices(outcome, deployment)) {
    printProblem(stderr, notice, "note");
  }
  const goBack = rollbackAdvice(outcome, deployment);
  const isSuperseded = outcome.superseded !== undefined;
  if (!isSuperseded && !result.succeeded)
    printReport(stderr, `\n${describeFailures(result, goBack)}`);
  printResult(outcome, stdout);
  if (result.succeeded) return exitCode.done;
  if (isSuperseded) return exitCode.superseded;
  return result.stopped === "cancelled" ? exitCode.interrupted : exitCode.user;
}
