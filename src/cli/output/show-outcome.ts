import { describeFailures } from "../../apply/failure/describe-failures.ts";
import type { Deployment } from "../../model/deployment.ts";
import type { World } from "../../ports/world.ts";
import { releaseInWords } from "../../releases/release-in-words.ts";
import { renderPlanText } from "../../report/plans/plan-text.ts";
import type { DeployOutcome } from "../../runs/deploy-outcome.ts";
import { describeRelease, noticesOf, waysBack } from "../../runs/describe-outcome.ts";
import type { DryRunPlan } from "../../runs/plan-without-lock.ts";
import type { Output, Shell } from "../shell.ts";
import { excerptsAround } from "./excerpt.ts";
import { exitCode, reportProblems } from "./failure.ts";
import { looksFor } from "./paint.ts";
import { print, printReport } from "./print.ts";
import { printProblem } from "./show-problem.ts";

export function timeIn({ clock }: World): string {
  return clock.now().toISOString();
}

/** The plan on stdout, as a preview shows it, and below it what blocks it, or how to execute exactly this one. */
export function show(preview: DryRunPlan, now: string, shell: Shell): number {
  const { planned } = preview;
  const { stdout, stderr, cwd } = shell;
  showPlan(preview, now, stdout);
  if (!planned.executable) {
    reportProblems(planned.blockers, stderr, {
      findExcerpt: excerptsAround(cwd()),
      changed: "nothing",
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
  const back = backInWords(preview, now);
  if (back !== undefined) print(to, `Rollback to ${back}:\n`);
  if (plan !== undefined)
    to.write(renderPlanText(plan, looksFor(to), findings, { attributions, now }));
}

/** The release that a rollback goes back to; undefined for what goes nowhere back. */
function backInWords({ planned, rollbackOf }: DryRunPlan, now: string): string | undefined {
  const release = planned.recorded?.releases.find(({ revision }) => revision === rollbackOf);
  return release === undefined ? undefined : releaseInWords(release, now);
}

/** Progress has shown what happened; this is what a reader needs after a failure. */
export function report(
  outcome: DeployOutcome,
  deployment: Deployment,
  { stdout, stderr }: Shell,
): number {
  if (outcome.type === "superseded") {
    printProblem(stderr, outcome.why, "note");
    print(stdout, `${deployment.name} superseded`);
    return outcome.why.code === "gave-way" ? exitCode.superseded : exitCode.done;
  }
  const { plan, result } = outcome;
  for (const notice of noticesOf(outcome, deployment)) {
    printProblem(stderr, notice, "note");
  }
  const goBack = waysBack(outcome, deployment);
  const isSuperseded = outcome.superseded !== undefined;
  if (!isSuperseded && !result.succeeded)
    printReport(stderr, `\n${describeFailures(result, goBack)}`);
  print(stdout, `${plan.deployment} ${describeRelease(outcome)}`);
  if (result.succeeded) return exitCode.done;
  if (isSuperseded) return exitCode.superseded;
  return result.stopped === "cancelled" ? exitCode.interrupted : exitCode.user;
}
