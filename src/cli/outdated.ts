import { type Command, Option } from "commander";
import { findOutdated, type OutdatedSources } from "../commands/outdated.ts";
import { pathFromRoot } from "./flags/options.ts";
import { print, printJson } from "./output/print.ts";
import { exitCode } from "./output/report-failure.ts";
import type { RunCommand } from "./program/run-cli.ts";

interface OutdatedFlags {
  readonly config?: string;
  readonly format?: "text" | "json";
}

export function defineOutdated(command: Command, run: RunCommand): void {
  command
    .option(
      "-c, --config <file>",
      "config whose modules, charts and remote bases qvs compares (default: all)",
    )
    .addOption(
      new Option("--format <format>", "format of the output (default: text)").choices([
        "text",
        "json",
      ]),
    )
    .action((flags: OutdatedFlags) =>
      run(flags, async (world, shell) => {
        const root = world.repository?.root ?? shell.cwd();
        const config =
          flags.config === undefined ? undefined : pathFromRoot(root, shell.cwd(), flags.config);
        const found = await findOutdated(world, config);
        if (flags.format === "json") printJson(shell.stdout, toJson(found));
        else print(shell.stdout, toText(found));
        return exitCode.done;
      }),
    );
}

function toJson({ outdated, compared }: OutdatedSources) {
  return {
    outdated: outdated.map(({ where: { file, line }, type, name, current, newest }) => ({
      ...{ type, name, current, newest, file, line },
    })),
    compared,
  };
}

function toText({ outdated, compared }: OutdatedSources): string {
  if (compared === 0) return "No config uses a version of a Git module, a chart or a remote base";
  if (outdated.length === 0)
    return `No newer version of ${compared} ${compared === 1 ? "source" : "sources"}`;
  const lines = outdated.flatMap(({ name, current, newest, where }) => [
    `${name}: ${current} → ${newest}`,
    `  --> ${where.file}:${where.line}`,
  ]);
  return lines.join("\n");
}
