import type { Command } from "commander";
import { diff } from "../commands/diff.ts";
import { describeProblem } from "../errors.ts";
import type { DeploymentReport } from "../report/comment-input.ts";
import { renderPlanText } from "../report/plan-text.ts";
import { exitCode } from "./failure.ts";
import {
  type CommonOptions,
  deploymentOf,
  withClusterOptions,
  withCommonOptions,
} from "./options.ts";
import { paintFor } from "./paint.ts";
import type { RunCommand } from "./run.ts";

interface DiffFlags extends CommonOptions {
  readonly base?: string;
  readonly exitCode?: boolean;
}

export function addDiff(program: Command, run: RunCommand): void {
  const command = program
    .command("diff")
    .description("show what a deployment would change; writes nothing");
  withClusterOptions(withCommonOptions(command))
    .option("--exit-code", "exit with 2 when there are changes")
    .action((flags: DiffFlags) =>
      run(flags, async (world) => {
        const deployment = await deploymentOf(world, flags);
        const options = { inline: flags.param, allowDelete: [], base: flags.base };
        return show(await diff(world, deployment, options), flags.exitCode ?? false);
      }),
    );
}

function show(report: DeploymentReport, tellChanges: boolean): number {
  const problems = [...report.problems, ...report.planProblems];
  for (const problem of problems) process.stderr.write(`${describeProblem(problem)}\n\n`);
  const { plan, clusterState } = report;
  if (!clusterState.compared)
    process.stderr.write(`Not compared with the cluster: ${clusterState.because}\n`);
  if (plan !== undefined) process.stdout.write(renderPlanText(plan, paintFor(process.stdout)));
  if (problems.length > 0 || plan === undefined) return exitCode.user;
  const changes =
    plan.deletions.length + plan.changes.filter((c) => c.action !== "unchanged").length;
  return tellChanges && changes > 0 ? exitCode.changes : exitCode.done;
}
