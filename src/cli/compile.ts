import { type Command, Option } from "commander";
import {
  type CompileOutput,
  compile,
  compileFiles,
  compileJson,
  compileText,
} from "../commands/compile.ts";
import { explain } from "../commands/explain.ts";
import { exitCode } from "./failure.ts";
import { type CommonOptions, deploymentOf, withCommonOptions } from "./options.ts";
import type { RunCommand } from "./run.ts";
import { say, sayJson, sayManifests } from "./say.ts";
import type { Shell } from "./shell.ts";
import { showProblem } from "./show-problem.ts";
import { replaceFiles } from "./write-files.ts";

interface CompileFlags extends CommonOptions {
  readonly output?: string;
  readonly format: "yaml" | "json";
  readonly explain?: string;
}

export function addCompile(program: Command, run: RunCommand): void {
  const command = program.command("compile").description("print the manifests of a QVS config");
  withCommonOptions(command)
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
        const deployment = await deploymentOf(world, shell, flags);
        const output = await compile(world, deployment, flags.param ?? [], isTraced(flags));
        if (!flags.quiet) warn(output, shell);
        await show(output, flags, shell);
        return exitCode.done;
      }),
    );
}

function isTraced({ output, format, explain: question }: CompileFlags): boolean {
  return output !== undefined || format === "json" || question !== undefined;
}

function warn({ compilation }: CompileOutput, { stderr }: Shell): void {
  for (const warning of compilation.warnings) {
    stderr.write(`${showProblem(warning, stderr, { label: "Warning: " })}\n`);
  }
}

async function show(output: CompileOutput, flags: CompileFlags, shell: Shell): Promise<void> {
  if (flags.explain !== undefined) {
    say(shell.stdout, explain(output.compilation, flags.explain));
  } else if (flags.output !== undefined) {
    const report = await replaceFiles(shell.cwd(), flags.output, compileFiles(output));
    if (!flags.quiet) say(shell.stderr, report);
  } else if (flags.format === "json") {
    sayJson(shell.stdout, compileJson(output));
  } else {
    sayManifests(shell.stdout, compileText(output));
  }
}
