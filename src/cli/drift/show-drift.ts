import { describeFailures } from "../../apply/failure/describe-failures.ts";
import type { ReconcileOutcome } from "../../commands/reconcile.ts";
import { describeCorrection } from "../../deploying/describe-outcome.ts";
import type { Drift } from "../../model/deployments/drift.ts";
import { md } from "../../redaction/markdown.ts";
import { manifestText } from "../../redaction/program-output.ts";
import { joined } from "../../redaction/shown.ts";
import { driftJson } from "../../report/drift/drift-json.ts";
import { renderDrift } from "../../report/drift/drift-markdown.ts";
import { renderDriftText } from "../../report/drift/drift-text.ts";
import { toYaml } from "../../report/text/yaml.ts";
import type { DeploymentOptions } from "../flags/options.ts";
import { outputLooks, print, printJson, printMarkdown, printReport } from "../output/print.ts";
import { exitCode } from "../output/report-failure.ts";
import { printProblem } from "../output/show-problem.ts";
import type { Shell } from "../program/shell.ts";

export const driftFormats = ["text", "json", "yaml", "markdown"] as const;

export interface DriftFlags extends DeploymentOptions {
  readonly allNamespaces?: boolean;
  readonly namespaces?: readonly string[];
  readonly format: (typeof driftFormats)[number];
}

export function showDrift(
  found: readonly Drift[],
  { format }: DriftFlags,
  { stdout }: Shell,
): void {
  switch (format) {
    case "json":
      printJson(stdout, driftJson(found));
      return;
    case "yaml":
      stdout.write(manifestText(toYaml(driftJson(found)), true));
      return;
    case "markdown":
      printMarkdown(stdout, md`${joined(found.map(renderDrift), "\n\n")}\n`);
      return;
    case "text":
      stdout.write(renderDriftText(found, outputLooks(stdout)));
  }
}

/** Returns the exit code. Drift takes precedence over a deployment that qvs couldn't check. */
export function driftExitCode(found: readonly Drift[]): number {
  if (found.some(({ status }) => status === "drifted")) return exitCode.changes;
  return found.some(({ status }) => status === "unknown") ? exitCode.user : exitCode.done;
}

/** Prints the result of a correction. Returns the exit code. */
export function reportCorrection(done: ReconcileOutcome, { stdout, stderr }: Shell): number {
  if (done.type === "clean") {
    const clean = { ...done.drift, status: "clean", objects: [] } as const;
    stdout.write(renderDriftText([clean], outputLooks(stdout)));
    return exitCode.done;
  }
  stdout.write(renderDriftText([done.drift], outputLooks(stdout)));
  if (done.type === "superseded") {
    printProblem(stderr, done.why, "note");
    return exitCode.superseded;
  }
  const { plan, result, superseded } = done.outcome;
  for (const notice of plan.notices) printProblem(stderr, notice, "note");
  if (superseded === undefined && !result.succeeded)
    printReport(stderr, `\n${describeFailures(result, [])}`);
  print(stdout, describeCorrection(done.outcome));
  if (result.succeeded) return exitCode.done;
  if (superseded !== undefined) return exitCode.superseded;
  return result.stopped === "cancelled" ? exitCode.interrupted : exitCode.user;
}
