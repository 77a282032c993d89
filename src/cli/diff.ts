import { type Command, Option } from "commander";
import { diff } from "../commands/diff.ts";
import { parseDuration, parseFailOn } from "../inputs/parse.ts";
import { UserError } from "../model/problems/errors.ts";
import { defaultFailOn, type FailOn } from "../model/problems/fail-on.ts";
import type { World } from "../ports/world.ts";
import { md } from "../redaction/markdown.ts";
import type { DeploymentReport } from "../report/comment/comment-input.ts";
import { renderComment } from "../report/comment/render-comment.ts";
import { renderPage } from "../report/page/render-page.ts";
import { renderPlanSummary } from "../report/plans/plan-summary.ts";
import { planFacts, renderPlanText } from "../report/plans/plan-text.ts";
import { failingFindings, isFailOnTriggered } from "../report/preview-failure.ts";
import { renderFindings } from "../report/problem-phrases.ts";
import { reportJson } from "../report/report-json.ts";
import { buildReview } from "../report/review/build-review.ts";
import type { Review } from "../report/review/review.ts";
import {
  type CommonOptions,
  selectDeployment,
  withCacheOption,
  withClusterOptions,
  withCommonOptions,
} from "./flags/options.ts";
import { type PreviewFlags, previewRequest, withPolicyOptions } from "./flags/policy.ts";
import { createExcerptFinder } from "./output/excerpt.ts";
import { outputLooks } from "./output/paint.ts";
import { printJson, printMarkdown, printPage } from "./output/print.ts";
import { exitCode, reportProblems } from "./output/report-failure.ts";
import type { RunCommand } from "./run-cli.ts";
import type { Shell } from "./shell.ts";

const formats = ["text", "json", "markdown", "html"] as const;

interface DiffFlags extends CommonOptions, PreviewFlags {
  readonly base?: string;
  readonly format: (typeof formats)[number];
  readonly exitCode?: boolean;
  readonly summary?: boolean;
  readonly timeout?: number;
  readonly failOn: readonly FailOn[];
}

export function defineDiff(command: Command, run: RunCommand): void {
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
        const deployment = await selectDeployment(world, shell, flags);
        if (flags.summary === true && flags.format !== "text") throw onlyText();
        const { param: inline = [], base, timeout: timeoutMs } = flags;
        const options = { inline, request: previewRequest(flags), base, timeoutMs };
        const report = await diff(world, deployment, options);
        await show(report, flags, world, shell);
        return diffExitCode(report, flags);
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
      printMarkdown(stdout, md`${renderComment(await createReview(report, world))}\n`);
      return;
    case "html":
      printPage(stdout, renderPage(await createReview(report, world), { hash: world.hash }));
      return;
    case "text":
      if (report.plan !== undefined) {
        stdout.write(
          flags.summary === true
            ? renderPlanSummary({ ...report, plan: report.plan }, outputLooks(stdout))
            : renderPlanText(report.plan, outputLooks(stdout), report.findings, {
                ...planFacts(report),
                now: world.clock.now().toISOString(),
              }),
        );
      }
      // The summary has no findings. One of them can be the reason for exit code 1, or for a
      // failure of a deployment without changes.
      if (flags.summary === true) {
        const failing = failingFindings(report, [...flags.failOn, "not-ready"]);
        stderr.write(renderFindings(failing, outputLooks(stderr)));
      }
      reportProblems(allProblems(report), stderr, {
        findExcerpt: createExcerptFinder(cwd()),
        followsPlan: report.plan !== undefined,
      });
  }
}

async function createReview(report: DeploymentReport, world: World): Promise<Review> {
  const headCommit = (await world.repository?.resolve("HEAD")) ?? "";
  const now = world.clock.now().toISOString();
  return buildReview({ deployments: [report], headCommit, runUrl: undefined, now });
}

function allProblems({ problems, blockers }: DeploymentReport) {
  return [...problems, ...blockers];
}

function diffExitCode(
  report: DeploymentReport,
  { exitCode: isRequested = false, failOn }: DiffFlags,
): number {
  const { plan } = report;
  if (plan === undefined || allProblems(report).length > 0) return exitCode.user;
  if (isFailOnTriggered(report, failOn)) return exitCode.user;
  const changed = plan.changes.some(({ action }) => action !== "unchanged");
  return isRequested && (changed || plan.deletions.length > 0) ? exitCode.changes : exitCode.done;
}
