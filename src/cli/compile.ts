import { type Command, Option } from "commander";
import { compile, compileFiles, compileJson, compileText } from "../commands/compile.ts";
import {
  compileAll,
  compileAllFiles,
  compileAllJson,
  compileAllText,
  warningsOfAll,
} from "../commands/compile-all.ts";

import { explain } from "../commands/explain.ts";
import type { World } from "../commands/world.ts";
import { userError } from "../errors.ts";
import type { JsonObject } from "../model/json.ts";
import type { Problem } from "../model/problem.ts";
import { exitCode } from "./failure.ts";
import {
  type CommonOptions,
  deploymentOf,
  selectionOf,
  withCacheOption,
  withCommonOptions,
} from "./options.ts";
import type { RunCommand } from "./run.ts";
import { say, sayJson, sayManifests } from "./say.ts";
import type { Shell } from "./shell.ts";
import { showProblem } from "./show-problem.ts";
import { replaceFiles } from "./write-files.ts";

interface CompileFlags extends CommonOptions {
  readonly all?: boolean;
  readonly output?: string;
  readonly format: "yaml" | "json";
  readonly explain?: string;
}

export function addCompile(program: Command, run: RunCommand): void {
  const command = program.command("compile").description("print the manifests of a QVS config");
  withCacheOption(withCommonOptions(command))
    .option("-a, --all", "every deployment of the repository; with -o, a folder for each")
    .option("-o, --output <dir>", "write one file per manifest, Pulumi.yaml and layout.yaml")
    .addOption(
      new Option("--format <format>", "on stdout")
        .choices(["yaml", "json"])
        .default("yaml", "yaml"),
    )
    .option(
      "--explain <resource[:field]>",
      "where a field comes from instead, e.g. app/web:spec.replicas",
    )
    .action((flags: CompileFlags) =>
      run(flags, async (world, shell) => {
        const compiled = await (flags.all ? compileEvery : compileOne)(world, shell, flags);
        if (!flags.quiet) warn(compiled.warnings, shell);
        await show(compiled, flags, shell);
        return exitCode.done;
      }),
    );
}

function isTraced({ output, format, explain: question }: CompileFlags): boolean {
  return output !== undefined || format === "json" || question !== undefined;
}

/** The result in each of the forms in which it can be asked for. */
interface Compiled {
  readonly warnings: readonly Problem[];
  text(): string;
  json(): JsonObject;
  files(): ReadonlyMap<string, string>;
  /** Where a field comes from. */
  explain(question: string): string;
}

async function compileOne(world: World, shell: Shell, flags: CompileFlags): Promise<Compiled> {
  const deployment = await deploymentOf(world, shell, flags);
  const output = await compile(world, deployment, flags.param ?? [], isTraced(flags));
  return {
    warnings: output.compilation.warnings,
    text: () => compileText(output),
    json: () => compileJson(output),
    files: () => compileFiles(output),
    explain: (question) => explain(output.compilation, question),
  };
}

async function compileEvery(world: World, shell: Shell, flags: CompileFlags): Promise<Compiled> {
  if (flags.explain !== undefined) throw onlyForOne();
  const selection = selectionOf(world, shell, flags);
  const all = await compileAll(world, selection, flags.param ?? [], isTraced(flags));
  return {
    warnings: warningsOfAll(all),
    text: () => compileAllText(all),
    json: () => compileAllJson(all),
    files: () => compileAllFiles(all),
    explain: () => "",
  };
}

function onlyForOne(): Error {
  return userError(
    "--explain is about one deployment, and --all means every one",
    "Choose it with --deployment",
  );
}

function warn(warnings: readonly Problem[], { stderr }: Shell): void {
  for (const warning of warnings) {
    stderr.write(`${showProblem(warning, stderr, { label: "Warning: " })}\n`);
  }
}

async function show(compiled: Compiled, flags: CompileFlags, shell: Shell): Promise<void> {
  if (flags.explain !== undefined) {
    say(shell.stdout, compiled.explain(flags.explain));
  } else if (flags.output !== undefined) {
    const report = await replaceFiles(shell.cwd(), flags.output, compiled.files());
    if (!flags.quiet) say(shell.stderr, report);
  } else if (flags.format === "json") {
    sayJson(shell.stdout, compiled.json());
  } else {
    sayManifests(shell.stdout, compiled.text());
  }
}
