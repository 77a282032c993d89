import { type Command, Option } from "commander";
import { drift } from "../../commands/drift.ts";
import { selectRecordedDeployments } from "../../deploying/queries/locate-deployment.ts";
import { parseNamespaces } from "../../inputs/parse.ts";
import { toSelection, withClusterOptions, withDeploymentOptions } from "../flags/options.ts";
import { type Several, splitSelection } from "../flags/several.ts";
import { printProblem } from "../output/show-problem.ts";
import type { RunCommand } from "../program/run-cli.ts";
import { type DriftFlags, driftExitCode, driftFormats, showDrift } from "./show-drift.ts";

export function defineDrift(command: Command, run: RunCommand): void {
  withDeploymentSelection(withClusterOptions(withDeploymentOptions(command, "several")))
    .addOption(
      new Option("--format <format>", "format of the output")
        .choices(driftFormats)
        .default("text", "text"),
    )
    .action((given: Several<DriftFlags>) => {
      const { flags, several } = splitSelection<DriftFlags>(given);
      return run(flags, async (world, shell) => {
        if (several !== undefined) {
          const { driftSeveral } = await import("../several/drift-several.ts");
          return driftSeveral(world, shell, { flags, several });
        }
        const selection = toSelection(world, shell, flags);
        const { deployments, notices } = await selectRecordedDeployments(world, {
          ...selection,
          namespaces: comparedNamespaces(flags),
        });
        for (const notice of notices) printProblem(shell.stderr, notice, "note");
        const found = await drift(world, deployments);
        showDrift(found, flags, shell);
        return driftExitCode(found);
      });
    });
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
