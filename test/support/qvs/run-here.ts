import { readdirSync } from "node:fs";
import { resolve } from "node:path";
import { PassThrough } from "node:stream";
import { runCli } from "../../../src/cli/run-cli.ts";
import type { Compiler } from "../../../src/ports/cue.ts";
import type { QvsResult } from "./run-qvs.ts";

/** The command within this process, with a compiler that many tests share: a process of its own costs a second. */
export async function runHere(
  directory: string,
  args: readonly string[],
  compiler: Compiler,
  env: Readonly<Record<string, string>> = {},
  /** On a terminal that is so wide. */
  columns?: number,
): Promise<QvsResult> {
  const [stdout, stderr] = [collect(columns), collect(columns)];
  let current = directory;
  const shell = {
    argv: ["node", "qvs", ...args],
    env: { PATH: process.env.PATH, HOME: directory, ...env },
    stdout: stdout.stream,
    stderr: stderr.stream,
    cwd: () => current,
    chdir: (to: string) => {
      const folder = resolve(current, to);
      readdirSync(folder);
      current = folder;
    },
  };
  const code = await runCli(shell, compiler, new AbortController().signal);
  return { code, stdout: stdout.text(), stderr: stderr.text() };
}

function collect(columns: number | undefined) {
  const terminal = columns === undefined ? {} : { isTTY: true, columns };
  const stream = Object.assign(new PassThrough(), terminal);
  let text = "";
  stream.on("data", (chunk) => (text += chunk));
  return { stream, text: () => text };
}
