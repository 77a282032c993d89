import { type Command, Option } from "commander";
import { diff } from "../commands/diff.ts";
import { parseDuration, parseFailOn, parseKubernetesVersion } from "../inputs/parse.ts";
import { builtinVersions } from "../io/builtin-kinds/read.ts";
import { UserError } from "../model/problems/errors.ts";
import { defaultFailOn } from "../model/problems/fail-on.ts";
import {
  selectDeployment,
  withCacheOption,
  withClusterOptions,
  withCommonOptions,
} from "./flags/options.ts";
import { withPolicyOptions } from "./flags/policy.ts";
import { type Several, splitSelection } from "./flags/several.ts";
import {
  type DiffFlags,
  diffExitCode,
  diffFormats,
  diffOptions,
  showReport,
} from "./output/show-report.ts";
import type { RunCommand } from "./program/run-cli.ts";

export function defineDiff(command: Command, run: RunCommand): void {
  withPolicyOptions(withCacheOption(withClusterOptions(withCommonOptions(command, "several"))))
    .option("--base <commit>", "commit to compare with, in addition to the cluster")
    .addOption(
      new Option(
        "--against-version <version>",
        "also check the current release and the manifests against this version of Kubernetes",
      ).argParser((text) => parseKubernetesVersion(text, builtinVersions)),
    )
    .option("--summary", "print one line per object")
    .addOption(
      new Option("--format <format>", "format of the output")
        .choices(diffFormats)
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
    .action((given: Several<DiffFlags>) => {
      const { flags, several } = splitSelection<DiffFlags>(given);
      return run(flags, async (world, shell) => {
        if (several !== undefined) {
          if (flags.summary === true && flags.format !== "text") throw onlyText();
          const { diffSeveral } = await import("./several/diff-several.ts");
          return diffSeveral(world, shell, { flags, several });
        }
        const deployment = await selectDeployment(world, shell, flags);
        if (flags.summary === true && flags.format !== "text") throw onlyText();
        const report = await diff(world, deployment, diffOptions(flags));
        await showReport(report, flags, world, shell);
        return diffExitCode(report, flags);
      });
    });
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
