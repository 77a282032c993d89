import type { DiffOptions } from "../../commands/diff.ts";
import { upgradeTarget } from "../../io/builtin-kinds/read.ts";
import type { FailOn } from "../../model/problems/fail-on.ts";
import type { World } from "../../ports/world.ts";
import { terminal } from "../../redaction/terminal.ts";
import type { DeploymentReport } from "../../report/comment/comment-input.ts";
import { renderPlanSummary } from "../../report/plans/plan-summary.ts";
import { planFacts, renderPlanText, renderVersionCheck } from "../../report/plans/plan-text.ts";
import { failingFindings, isFailOnTriggered } from "../../report/preview-failure.ts";
import { renderFindings } from "../../report/problem-phrases.ts";
import { reportJson } from "../../report/report-json.ts";
import type { CommonOptions } from "../flags/options.ts";
import { type PreviewFlags, previewRequest } from "../flags/policy.ts";
import type { Shell } from "../program/shell.ts";
import { outputLooks, printJson } from "./print.ts";
import { exitCode, reportProblems } from "./report-failure.ts";
import { createExcerptFinder, printProblem } from "./show-problem.ts";

export const diffFormats = ["text", "json", "markdown", "html"] as const;

export interface DiffFlags extends CommonOptions, PreviewFlags {
  readonly base?: string;
  readonly format: (typeof diffFormats)[number];
  readonly exitCode?: boolean;
  readonly summary?: boolean;
  readonly timeout?: number;
  readonly failOn: readonly FailOn[];
  readonly againstVersion?: string;
}

export function diffOptions(flags: DiffFlags): DiffOptions {
  const { param: inline = [], base, timeout: timeoutMs, againstVersion } = flags;
  const against = upgradeTarget(againstVersion);
  return { inline, request: previewRequest(flags), base, timeoutMs, against };
}

/**
 * Prints the report. In format text the errors are printed on stderr; the other formats contain
 * them.
 */
export async function showReport(
  report: DeploymentReport,
  flags: DiffFlags,
  world: World,
  shell: Shell,
): Promise<void> {
  switch (flags.format) {
    case "json":
      printJson(shell.stdout, reportJson(report));
      return;
    case "markdown":
    case "html": {
      const { showDocument } = await import("./show-document.ts");
      return showDocument([report], flags.format, world, shell);
    }
    case "text":
      showText(report, flags, world, shell);
  }
}

export function showText(
  report: DeploymentReport,
  flags: DiffFlags,
  world: World,
  { stdout, stderr, cwd }: Shell,
): void {
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
  const hasFindings = report.plan !== undefined && flags.summary !== true;
  if (!hasFindings && report.againstVersion !== undefined) {
    if (report.plan !== undefined) stdout.write(terminal`\n`);
    stdout.write(renderVersionCheck(report.againstVersion, report.findings, outputLooks(stdout)));
  }
  // The summary has no findings. One of them can be the reason for exit code 1, or for a failure of
  // a deployment without changes.
  if (flags.summary === true) {
    const failing = failingFindings(report, [...flags.failOn, "not-ready"]);
    const unshown = failing.filter(({ upgrade }) => upgrade === undefined);
    stderr.write(renderFindings(unshown, outputLooks(stderr)));
  }
  const warnings = flags.quiet === true ? [] : (report.orphanWarnings ?? []);
  for (const warning of warnings) printProblem(stderr, warning, "warning");
  reportProblems(allProblems(report), stderr, {
    findExcerpt: createExcerptFinder(cwd()),
    followsPlan: report.plan !== undefined,
  });
}

function allProblems({ problems, blockers }: DeploymentReport) {
  return [...problems, ...blockers];
}

export function diffExitCode(
  report: DeploymentReport,
  { exitCode: isRequested = false, failOn }: DiffFlags,
): number {
  const { plan } = report;
  if (plan === undefined || allProblems(report).length > 0) return exitCode.user;
  if (isFailOnTriggered(report, failOn)) return exitCode.user;
  const changed = plan.changes.some(({ action }) => action !== "unchanged");
  return isRequested && (changed || plan.deletions.length > 0) ? exitCode.changes : exitCode.done;
}
