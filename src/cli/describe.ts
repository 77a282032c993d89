import { type Command, Option } from "commander";
import { describeFolder, describeModule, describePattern } from "../commands/describe.ts";
import type { AdapterDescription } from "../model/description.ts";
import { userError } from "../model/problems/errors.ts";
import type { World } from "../ports/world.ts";
import { md } from "../redaction/markdown.ts";
import { describeInMarkdown } from "../report/describe/markdown.ts";
import {
  type ModuleDescription,
  moduleInMarkdown,
  moduleSchemas,
  renderModule,
} from "../report/describe/module.ts";
import { parametersSchema } from "../report/describe/parameters-schema.ts";
import { renderDescription } from "../report/describe/text.ts";
import type { AdapterSearch } from "../sources/adapter-modules.ts";
import { pathInRepository } from "./flags/options.ts";
import { exitCode, reportProblems } from "./output/failure.ts";
import { paintFor } from "./output/paint.ts";
import { printJson, printMarkdown } from "./output/print.ts";
import type { RunCommand } from "./run.ts";
import type { Output, Shell } from "./shell.ts";

const formats = ["text", "markdown", "json"] as const;

interface DescribeFlags {
  readonly config?: string;
  readonly deployment?: string;
  readonly module?: string | true;
  readonly format: (typeof formats)[number];
}

export function addDescribe(program: Command, run: RunCommand): void {
  program
    .command("describe")
    .description("show the parameters of an adapter, or all adapters of a module")
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
          showAdapter(await adapterFor(pattern, flags, world, shell), flags, shell);
          return exitCode.done;
        }
        if (pattern !== undefined) {
          throw userError(
            "conflicting-flags",
            "Either one adapter can be described, or a module",
            "Leave out one of PATTERN and --module",
          );
        }
        const description = await moduleFor(flags.module, flags, world, shell);
        showModule(description, flags, shell);
        return description.failures.length === 0 ? exitCode.done : exitCode.user;
      }),
    );
}

function adapterFor(
  pattern: string | undefined,
  flags: DescribeFlags,
  world: World,
  shell: Shell,
): Promise<AdapterDescription> {
  if (pattern === undefined) {
    throw userError(
      "invalid-input",
      "No adapter was named",
      "Write its import path, or --module for all that there are",
    );
  }
  if (!isFolder(pattern))
    return describePattern(world, searchFrom(".", flags, world, shell), pattern);
  const [, folder = pattern, name] = /^(.*?)(?::([^:/]*))?$/.exec(pattern) ?? [];
  return describeFolder(world, searchFrom(folder, flags, world, shell), name);
}

function moduleFor(
  module: string | true,
  flags: DescribeFlags,
  world: World,
  shell: Shell,
): Promise<ModuleDescription> {
  if (module === true)
    return describeModule(world, searchFrom(".", flags, world, shell), undefined);
  return isFolder(module)
    ? describeModule(world, searchFrom(module, flags, world, shell), undefined)
    : describeModule(world, searchFrom(".", flags, world, shell), module);
}

/** Reports whether the pattern is a directory. Import paths start with a host. */
function isFolder(path: string): boolean {
  return /^(\.{1,2}(\/|$)|\/)/.test(path);
}

function searchFrom(
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
      stdout.write(renderDescription(adapter, columnsOf(stdout), paintFor(stdout)));
      return;
    case "markdown":
      printMarkdown(stdout, md`${describeInMarkdown(adapter, 1)}\n`);
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
      stdout.write(renderModule(description, columnsOf(stdout), paintFor(stdout)));
      break;
    case "markdown":
      printMarkdown(stdout, moduleInMarkdown(description));
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
function columnsOf({ isTTY, columns }: Output): number {
  return isTTY === true ? Math.min(Math.max(columns ?? 80, 40), 120) : 100;
}
