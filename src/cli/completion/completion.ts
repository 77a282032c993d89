import { Argument, type Command } from "commander";
import { print } from "../output/print.ts";
import type { RunCommand } from "../run-cli.ts";
import type { Shell } from "../shell.ts";
import { completionScripts } from "./scripts.ts";

const shells = ["bash", "zsh", "fish"] as const;

export function defineCompletion(command: Command, _: RunCommand, { stdout }: Shell): void {
  command
    .addArgument(new Argument(`<${shells.join("|")}>`, "shell").choices(shells))
    .action((name: (typeof shells)[number]) => {
      print(stdout, completionScripts[name].trimEnd());
    });
}
