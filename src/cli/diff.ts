import { type Command, Option } from "commander";
import { diff } from "../commands/diff.ts";
import { parseDuration, parseFailOn } from "../inputs/parse.ts";
import { UserError } from "../model/problems/errors.ts";
import { defaultFailOn, type FailOn } from "../model/problems/fail-on.ts";
import type { World } from "../ports/world.ts";
import { md } from "../redaction/markdown.ts";
import { renderComment } from "../report/comment/comment.ts";
import type { DeploymentReport } from "../report/comment/comment-input.ts";
import { failingFindings, failsOn } from "../report/fail-on.ts";
import { renderFindings } from "../report/findings.ts";
import { renderPage } from "../report/page/page.ts";
import { renderPlanSummary } from "../report/plans/plan-summary.ts";
import { renderPlanText, reviewedFacts } from "../report/plans/plan-text.ts";
import { reportJson } from "../report/report-json.ts";
import type { Review } from "../report/review/review.ts";
import { reviewOf } from "../report/review/review-of.ts";
import {
  type CommonOptions,
  deploymentOf,
  withCacheOption,
  withClusterOptions,
  withCommonOptions,
} from "./flags/options.ts";
import { type PolicyFlags, policyOf, withPolicyOptions } from "./flags/policy.ts";
import { excerptsAround } from "./output/excerpt.ts";
import { exitCode, reportProblems } from "./output/failure.ts";
import { looksFor } from "./output/paint.ts";
import { printJson, printMarkdown, printPage } from "./output/print.ts";
import type { RunCommand } from "./run.ts";
import type { Shell } from "./shell.ts";

const formats = ["text", "json", "markdown", "html"] as const;

interface DiffFlags extends CommonOptions, PolicyFlags {
  readonly base?: string;
  readonly format: (typeof formats)[number];
  readonly exitCode?: boolean;
  readonly summary?: boolean;
  readonly adopt?: boolean;
  readonly timeout?: number;
  readonly failOn: readonly FailOn[];
}

export function addDiff(program: Command, run: RunCommand): void {
  const command = program.command("diff").description("show what a deployment would change");
  withPolicyOptions(withCacheOption(withClusterOptions(withCommonOptions(command))))
    .option("--base <commit>", "commit to compare with, in addition to the cluster")
    .option("--summary", "print one line per object")
    .addOption(
      new Option("--format <format>", "format of the output")
        .choices(formats)
        .default("text", "text"),
    )
    .option("--adopt", "preview with --adopt of qvs deploy")
    .option(
      "--timeout <duration>",
      "time for one object to become ready; longer rollouts are findings (default: 10m)",
      parseDuration,
    )
    .addOption(
      new Option(
        "--fail-on <list>",
        "exit with 1 on error, warning, deletions, replacements, conflicts, codes of findings, or nothing",
      )
        .argParser(parseFailOn)
        .default(defaultFailOn, "error"),
    )
    .option("--exit-code", "exit with 2 if there are changes")
    .action((flags: DiffFlags) =>
      run(flags, async (world, shell) => {
        const deployment = await deploymentOf(world, shell, flags);
        if (flags.summary === true && flags.format !== "text") throw onlyText();
        const { param: inline = [], base, onlyStage, adopt = false, timeout: timeoutMs } = flags;
        const options = { inline, policy: policyOf(flags), adopt, base, onlyStage, timeoutMs };
        const report = await diff(world, deployment, options);
        await show(report, flags, world, shell);
        return codeOf(report, flags);
      }),
    );
}

function onlyText(): UserError {
  return new UserError([
    {
      code: "conflicting-flags",
      where: [],
      what: "--summary works only with --format text",
      fix: "Remove --format",
      otherwise: ["remove --summary"],
    },
  ]);
}

/**
 * Prints the report. In format text the errors are printed on stderr; the other formats contain
 * them.
 */
async function show(
  report: DeploymentReport,
  flags: DiffFlags,
  world: World,
  { stdout, stderr, cwd }: Shell,
): Promise<void> {
  switch (flags.format) {
    case "json":
      printJson(stdout, reportJson(report));
      return;
    case "markdown":
      printMarkdown(stdout, md`${renderComment(await reviewIn(report, world))}\n`);
      return;
    case "html":
      printPage(stdout, renderPage(await reviewIn(report, world), { hash: world.hash }));
      return;
    case "text":
      if (report.plan !== undefined) {
        stdout.write(
          flags.summary === true
            ? renderPlanSummary({ ...report, plan: report.plan }, looksFor(stdout))
            : renderPlanText(report.plan, looksFor(stdout), report.findings, {
                ...reviewedFacts(report),
                now: world.clock.now().toISOString(),
              }),
        );
      }
      // The summary has no findings. One of them can be the reason for exit code 1, or for a
      // failure of a deployment without changes.
      if (flags.summary === true) {
        const told = failingFindings(report, [...flags.failOn, "not-ready"]);
        stderr.write(renderFindings(told, looksFor(stderr)));
      }
      reportProblems(problemsOf(report), stderr, {
        findExcerpt: excerptsAround(cwd()),
        followsPlan: report.plan !== undefined,
      });
  }
}

async function reviewIn(report: DeploymentReport, world: World): Promise<Review> {
  const headCommit = (await world.repository?.resolve("HEAD")) ?? "";
  const now = world.clock.now().toISOString();
  return reviewOf({ deployments: [report], headCommit, runUrl: undefined, now });
}

function problemsOf({ problems, blockers }: DeploymentReport) {
  return [...problems, ...blockers];
}

function codeOf(report: DeploymentReport, { exitCode: asked = false, failOn }: DiffFlags): number {
  const { plan } = report;
  if (plan === undefined || problemsOf(report).length > 0) return exitCode.user;
  if (failsOn(report, failOn)) return exitCode.user;
  const changed = plan.changes.some(({ action }) => action !== "unchanged");
  return asked && (changed || plan.deletions.length > 0) ? exitCode.changes : exitCode.done;
}
