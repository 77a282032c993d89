import type { DeploymentOutcome } from "../../commands/deploy-changed.ts";
import type { SweepResult } from "../../commands/sweep-environments.ts";
import { plural } from "../../report/text/counts.ts";
import type { DeploymentOptions } from "../flags/options.ts";
import { print } from "../output/print.ts";
import { exitCode, reportProblems } from "../output/report-failure.ts";
import { reportOutcome } from "../output/show-outcome.ts";
import { printNotices } from "../queries/answer.ts";
import type { Shell } from "../shell.ts";

/** Prints the outcome of each environment. Returns the first exit code that isn't 0. */
export function reportSweep(
  { outcomes, notices }: SweepResult,
  flags: Pick<DeploymentOptions, "quiet">,
  shell: Shell,
): number {
  printNotices(shell, flags, notices);
  const codes = outcomes.map((outcome) => reportOne(outcome, shell));
  if (outcomes.length === 0) print(shell.stdout, `${plural(0, "environment")} to delete`);
  return codes.find((code) => code !== exitCode.done) ?? exitCode.done;
}

function reportOne(outcome: DeploymentOutcome, shell: Shell): number {
  const { deployment } = outcome;
  switch (outcome.type) {
    case "done": {
      const code = reportOutcome(outcome.outcome, deployment, shell);
      // A run that found the environment needed again did its work.
      return code === exitCode.superseded ? exitCode.done : code;
    }
    case "nothing left":
      print(shell.stdout, `${deployment.name}: nothing is recorded`);
      return exitCode.done;
    case "broken":
      throw outcome.error;
    case "refused":
      reportProblems(outcome.problems, shell.stderr);
      return exitCode.user;
    case "not deleted":
      return exitCode.user;
  }
}
