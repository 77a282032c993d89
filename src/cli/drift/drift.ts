import { type Command, Option } from "commander";
import { drift } from "../../commands/drift.ts";
import { selectRecordedDeployments } from "../../deploying/queries/select-recorded-deployments.ts";
import { parseNamespaces } from "../../inputs/parse.ts";
import type { Drift } from "../../model/drift.ts";
import { md } from "../../redaction/markdown.ts";
import { manifestText } from "../../redaction/program-output.ts";
import { joined } from "../../redaction/shown.ts";
import { driftJson } from "../../report/drift/drift-json.ts";
import { renderDrift } from "../../report/drift/drift-markdown.ts";
import { renderDriftText } from "../../report/drift/drift-text.ts";
import { toYaml } from "../../report/text/yaml.ts";
import {
  type DeploymentOptions,
  toSelection,
  withClusterOptions,
  withDeploymentOptions,
} from "../flags/options.ts";
import { outputLooks } from "../output/paint.ts";
import { printJson, printMarkdown } from "../output/print.ts";
import { exitCode } from "../output/report-failure.ts";
import { printProblem } from "../output/show-problem.ts";
import type { RunCommand } from "../run-cli.ts";
import type { Shell } from "../shell.ts";

const formats = ["text", "json", "yaml", "markdown"] as const;

interface DriftFlags extends DeploymentOptions {
  readonly allNamespaces?: boolean;
  readonly namespaces?: readonly string[];
  readonly format: (typeof formats)[number];
}

export function defineDrift(command: Command, run: RunCommand): void {
  withDeploymentSelection(withClusterOptions(withDeploymentOptions(command)))
    .addOption(
      new Option("--format <format>", "format of the output")
        .choices(formats)
        .default("text", "text"),
    )
    .action((flags: DriftFlags) =>
      run(flags, async (world, shell) => {
        const selection = toSelection(world, shell, flags);
        const { deployments, notices } = await selectRecordedDeployments(world, {
          ...selection,
          namespaces: comparedNamespaces(flags),
        });
        for (const notice of notices) printProblem(shell.stderr, notice, "note");
        const found = await drift(world, deployments);
        show(found, flags, shell);
        return driftExitCode(found);
      }),
    );
}

function withDeploymentSelection(command: Command): Command {
  return command
    .optionsGroup("Target:")
    .addOption(
      new Option("-A, --all-namespaces", "compare the deployments of all namespaces").conflicts(
        "namespace",
      ),
    )
    .addOption(
      new Option(
        "--namespaces <names>",
        "compare the deployments of these namespaces, comma-separated (default: the listed ones)",
      )
        .argParser(parseNamespaces)
        .conflicts(["allNamespaces", "namespace"]),
    )
    .optionsGroup("Options:");
}

/**
 * Returns the namespaces of the recorded deployments to compare; undefined to compare the listed
 * ones.
 */
function comparedNamespaces({
  allNamespaces,
  namespaces,
}: DriftFlags): readonly string[] | "everywhere" | undefined {
  return allNamespaces === true ? "everywhere" : namespaces;
}

function show(found: readonly Drift[], { format }: DriftFlags, { stdout }: Shell): void {
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
function driftExitCode(found: readonly Drift[]): number {
  if (found.some(({ status }) => status === "drifted")) return exitCode.changes;
  return found.some(({ status }) => status === "unknown") ? exitCode.user : exitCode.done;
}
