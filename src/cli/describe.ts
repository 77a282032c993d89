import { type Command, Option } from "commander";
import { describeFolder, describeModule, describePattern } from "../commands/describe.ts";
import { UserError, userError } from "../model/problems/errors.ts";
import type { AdapterDescription } from "../model/sources/description.ts";
import type { World } from "../ports/world.ts";
import { md } from "../redaction/markdown.ts";
import { adapterMarkdown } from "../report/describe/adapter-markdown.ts";
import { parametersSchema } from "../report/describe/parameters-schema.ts";
import { renderDescription } from "../report/describe/render-description.ts";
import {
  type ModuleDescription,
  moduleMarkdown,
  moduleSchemas,
  renderModule,
} from "../report/describe/render-module.ts";
import type { AdapterSearch } from "../sources/adapter-modules.ts";
import { pathInRepository } from "./flags/options.ts";
import { linePainter, printJson, printMarkdown } from "./output/print.ts";
import { exitCode, reportProblems } from "./output/report-failure.ts";
import type { RunCommand } from "./program/run-cli.ts";
import type { Output, Shell } from "./program/shell.ts";

const formats = ["text", "markdown", "json"] as const;

interface DescribeFlags {
  readonly config?: string;
  readonly deployment?: string;
  readonly module?: string | true;
  readonly format: (typeof formats)[number];
}

export function defineDescribe(command: Command, run: RunCommand): void {
  command
    .argument("[pattern]", "import path, with :package if needed, or a directory such as ./web")
    .option(
      "-m, --module [name]",
      "describe all adapters of a module, by path or directory (default: the current module)",
    )
    .optionsGroup("Adapters:")
    .option("-c, --config <file>", "config whose modules qvs reads (default: all)")
    .addOption(
      new Option(
        "-d, --deployment <name>",
        "deployment whose config qvs reads (default: all)",
      ).conflicts("config"),
    )
    .optionsGroup("Options:")
    .addOption(
      new Option("--format <format>", "format of the output; json is a JSON Schema")
        .choices(formats)
        .default("text", "text"),
    )
    .action((pattern: string | undefined, flags: DescribeFlags) =>
      run({ quiet: true }, async (world, shell) => {
        if (flags.module === undefined) {
          showAdapter(await describeAdapter(pattern, flags, world, shell), flags, shell);
          return exitCode.done;
        }
        if (pattern !== undefined) {
          throw userError(
            "conflicting-flags",
            "PATTERN can't be combined with --module",
            "Remove one of the two",
          );
        }
        const description = await describeNamedModule(flags.module, flags, world, shell);
        showModule(description, flags, shell);
        return description.failures.length === 0 ? exitCode.done : exitCode.user;
      }),
    );
}

function describeAdapter(
  pattern: string | undefined,
  flags: DescribeFlags,
  world: World,
  shell: Shell,
): Promise<AdapterDescription> {
  if (pattern === undefined) {
    throw new UserError([
      {
        code: "invalid-input",
        where: [],
        what: "No adapter is named",
        fix: "Add the import path of an adapter",
        otherwise: ["add --module to describe all adapters"],
      },
    ]);
  }
  if (!isDirectory(pattern))
    return describePattern(world, adapterSearch(".", flags, world, shell), pattern);
  const [, folder = pattern, name] = /^(.*?)(?::([^:/]*))?$/.exec(pattern) ?? [];
  return describeFolder(world, adapterSearch(folder, flags, world, shell), name);
}

function describeNamedModule(
  module: string | true,
  flags: DescribeFlags,
  world: World,
  shell: Shell,
): Promise<ModuleDescription> {
  if (module === true)
    return describeModule(world, adapterSearch(".", flags, world, shell), undefined);
  return isDirectory(module)
    ? describeModule(world, adapterSearch(module, flags, world, shell), undefined)
    : describeModule(world, adapterSearch(".", flags, world, shell), module);
}

/** Reports whether the pattern is a directory. Import paths start with a host. */
function isDirectory(path: string): boolean {
  return /^(\.{1,2}(\/|$)|\/)/.test(path);
}

function adapterSearch(
  folder: string,
  flags: DescribeFlags,
  world: World,
  shell: Shell,
): AdapterSearch {
  const { config, deployment } = flags;
  return {
    config: config === undefined ? undefined : pathInRepository(world, shell, config),
    deployment,
    folder: pathInRepository(world, shell, folder),
  };
}

function showAdapter(
  adapter: AdapterDescription,
  { format }: DescribeFlags,
  { stdout }: Shell,
): void {
  switch (format) {
    case "text":
      stdout.write(renderDescription(adapter, descriptionWidth(stdout), linePainter(stdout)));
      return;
    case "markdown":
      printMarkdown(stdout, md`${adapterMarkdown(adapter, 1)}\n`);
      return;
    case "json":
      printJson(stdout, parametersSchema(adapter));
  }
}

/**
 * Prints the module. Adapters that fail to load are part of it, and their errors are printed on
 * stderr too.
 */
function showModule(
  description: ModuleDescription,
  { format }: DescribeFlags,
  { stdout, stderr }: Shell,
): void {
  switch (format) {
    case "text":
      stdout.write(renderModule(description, descriptionWidth(stdout), linePainter(stdout)));
      break;
    case "markdown":
      printMarkdown(stdout, moduleMarkdown(description));
      break;
    case "json":
      printJson(stdout, moduleSchemas(description));
  }
  reportProblems(
    description.failures.flatMap(({ problems }) => problems),
    stderr,
  );
}

/**
 * Returns the width of the text. A file always gets the same width, and lines longer than 120
 * columns aren't easier to read.
 */
function descriptionWidth({ isTTY, columns }: Output): number {
  return isTTY === true ? Math.min(Math.max(columns ?? 80, 40), 120) : 100;
}
