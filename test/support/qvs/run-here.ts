import { runCli } from "../../../src/cli/program/run-cli.ts";
import type { Compiler } from "../../../src/ports/cue.ts";
import type { QvsResult } from "./run-qvs.ts";
import { openShell } from "./test-process.ts";

/** Runs the command in this process, with a shared compiler. A separate process costs a second. */
export async function runHere(
  directory: string,
  args: readonly string[],
  compiler: Compiler,
  env: Readonly<Record<string, string>> = {},
  /** The width of the terminal. Undefined if the output isn't a terminal. */
  columns?: number,
): Promise<QvsResult> {
  const own = { PATH: process.env.PATH, HOME: directory, ...env };
  const shell = openShell(directory, args, own, columns);
  const code = await runCli(shell, compiler, new AbortController().signal);
  return { code, stdout: shell.stdout.text(), stderr: shell.stderr.text() };
}
