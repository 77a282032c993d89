import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { type Command, Option } from "commander";
import { compile, compileFiles, compileJson, compileText } from "../commands/compile.ts";
import { describeProblem } from "../errors.ts";
import { type CommonOptions, deploymentOf, withCommonOptions } from "./options.ts";
import type { RunCommand } from "./run.ts";

interface CompileOptions extends CommonOptions {
  readonly output?: string;
  readonly format: "yaml" | "json";
}

export function addCompile(program: Command, run: RunCommand): void {
  withCommonOptions(program.command("compile").description("print the manifests of a QVS config"))
    .option("-o, --output <dir>", "write one file per manifest, Pulumi.yaml and layout.yaml")
    .addOption(
      new Option("--format <format>", "on stdout").choices(["yaml", "json"]).default("yaml"),
    )
    .action(compileCommand(run));
}

function compileCommand(run: RunCommand): (options: CompileOptions) => Promise<void> {
  return (options) =>
    run(options, async (world) => {
      const output = await compile(world, await deploymentOf(world, options), options.param);
      for (const warning of output.compilation.warnings) {
        if (!options.quiet) process.stderr.write(`warning: ${describeProblem(warning)}\n`);
      }
      if (options.output !== undefined) await writeFiles(options.output, compileFiles(output));
      else if (options.format === "json") {
        process.stdout.write(`${JSON.stringify(compileJson(output), null, 2)}\n`);
      } else process.stdout.write(compileText(output));
      return 0;
    });
}

async function writeFiles(directory: string, files: ReadonlyMap<string, string>): Promise<void> {
  for (const [path, content] of files) {
    const file = join(directory, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, content);
  }
}
