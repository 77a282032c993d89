import { runCli } from "../../../src/cli/run-cli.ts";
import type { Compiler } from "../../../src/ports/cue.ts";
import type { QvsResult } from "./run-qvs.ts";
import { openShell } from "./test-process.ts";

/** The command within this process, with a compiler that many tests share: a process of its own costs a second. */
export async function runHere(
  directory: string,
  args: readonly string[],
  compiler: Compiler,
  env: Readonly<Record<string, string>> = {},
  /** On a terminal that is so wide. */
  columns?: number,
): Promise<QvsResult> {
  const own = { PATH: process.env.PATH, HOME: directory, ...env };
  const shell = openShell(directory, args, own, columns);
  const code = await runCli(shell, compiler, new AbortController().signal);
  return { code, stdout: shell.stdout.text(), stderr: shell.stderr.text() };
}
