import { type Command, Option } from "commander";
import {
  compile,
  compileFiles,
  compileJson,
  compileText,
  type OutputFile,
} from "../commands/compile.ts";
import { explain } from "../commands/explain-compilation.ts";
import {
  compileAll,
  compileAllFiles,
  compileAllJson,
  compileAllText,
  warningsOfAll,
} from "../commands/several/compile-all.ts";
import { builtinVersions, usualVersion } from "../io/builtin-kinds/read.ts";
import type { JsonObject } from "../model/json.ts";
import { UserError } from "../model/problems/errors.ts";
import type { Problem } from "../model/problems/problem.ts";
import type { World } from "../ports/world.ts";
import type { CompileParts } from "../sources/evaluate-deployment.ts";
import { readCrds } from "../sources/read-crds.ts";
import { replaceFiles } from "./files/replace-files.ts";
import {
  type CommonOptions,
  collect,
  pathInRepository,
  requireAnyFlag,
  selectDeployment,
  toSelection,
  withCacheOption,
  withCommonOptions,
} from "./flags/options.ts";
import { print, printJson, printManifests } from "./output/print.ts";
import { exitCode } from "./output/report-failure.ts";
import { printProblem } from "./output/show-problem.ts";
import type { RunCommand } from "./program/run-cli.ts";
import type { Shell } from "./program/shell.ts";

interface CompileFlags extends CommonOptions {
  readonly all?: boolean;
  readonly output?: string;
  readonly format: "yaml" | "json";
  readonly explain?: string;
  readonly check?: boolean;
  readonly crds?: readonly string[];
  readonly kubernetes?: string;
}

export function defineCompile(command: Command, run: RunCommand): void {
  requireAnyFlag(command, ["--crds"], ["--check"]);
  requireAnyFlag(command, ["--kubernetes"], ["--check"]);
  withCacheOption(withCommonOptions(command))
    .option(
      "-a, --all",
      "compile every deployment of the repository; with -o, one directory for each",
    )
    .option(
      "-o, --output <dir>",
      "directory for one file per manifest, Pulumi.yaml and layout.yaml (default: print)",
    )
    .addOption(
      new Option("--format <format>", "format of the output")
        .choices(["yaml", "json"])
        .default("yaml", "yaml")
        .conflicts("output"),
    )
    .addOption(
      new Option(
        "--explain <resource[:field]>",
        "show the source of a resource or field, such as app/web:spec.replicas",
      ).conflicts(["all", "output", "format"]),
    )
    .addOption(
      new Option(
        "--check",
        "exit with 1 if a manifest has unknown, missing or mistyped fields",
      ).conflicts(["output", "format", "explain"]),
    )
    .option(
      "--crds <directory>",
      "directory with CustomResourceDefinitions for --check; repeatable",
      collect,
    )
    .addOption(
      new Option(
        "--kubernetes <version>",
        `version of Kubernetes whose schemas --check uses (default: ${usualVersion})`,
      ).choices(builtinVersions),
    )
    .action((flags: CompileFlags) =>
      run(flags, async (world, shell) => {
        const compiled = await (flags.all ? compileEvery : compileOne)(world, shell, flags);
        if (!flags.quiet) warn(compiled.warnings, shell);
        if (!flags.check) await show(compiled, flags, shell);
        return exitCode.done;
      }),
    );
}

async function compileParts(
  world: World,
  shell: Shell,
  flags: CompileFlags,
): Promise<CompileParts> {
  const { output, format, explain: question, check = false, crds = [], kubernetes } = flags;
  const folders = crds.map((folder) => pathInRepository(world, shell, folder));
  const definitions = await readCrds(world.source.tree, folders);
  if (!definitions.ok) throw new UserError(definitions.problems);
  const trace = output !== undefined || format === "json" || question !== undefined;
  return { trace, check, kubernetes, definitions: definitions.value };
}

/** The result in each output format. */
interface Compiled {
  readonly warnings: readonly Problem[];
  text(): string;
  json(): JsonObject;
  files(): ReadonlyMap<string, OutputFile>;
  /** Explains the source of a field. */
  explain(question: string): string;
}

async function compileOne(world: World, shell: Shell, flags: CompileFlags): Promise<Compiled> {
  const deployment = await selectDeployment(world, shell, flags);
  const parts = await compileParts(world, shell, flags);
  const output = await compile(world, deployment, flags.param ?? [], parts);
  return {
    warnings: output.compilation.warnings,
    text: () => compileText(output),
    json: () => compileJson(output),
    files: () => compileFiles(output),
    explain: (question) => explain(output.compilation, question),
  };
}

async function compileEvery(world: World, shell: Shell, flags: CompileFlags): Promise<Compiled> {
  const selection = toSelection(world, shell, flags);
  const parts = await compileParts(world, shell, flags);
  const all = await compileAll(world, selection, flags.param ?? [], parts);
  return {
    warnings: warningsOfAll(all),
    text: () => compileAllText(all),
    json: () => compileAllJson(all),
    files: () => compileAllFiles(all),
    explain: () => "",
  };
}

function warn(warnings: readonly Problem[], { stderr }: Shell): void {
  for (const warning of warnings) {
    printProblem(stderr, warning, "warning");
  }
}

async function show(compiled: Compiled, flags: CompileFlags, shell: Shell): Promise<void> {
  if (flags.explain !== undefined) {
    print(shell.stdout, compiled.explain(flags.explain));
  } else if (flags.output !== undefined) {
    const report = await replaceFiles(shell.cwd(), flags.output, compiled.files());
    if (!flags.quiet) print(shell.stderr, report);
  } else if (flags.format === "json") {
    printJson(shell.stdout, compiled.json());
  } else {
    printManifests(shell.stdout, compiled.text());
  }
}
