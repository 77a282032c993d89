import { type ChildProcess, spawn } from "node:child_process";
import { constants, tmpdir } from "node:os";
import { join } from "node:path";
import { builtProgram, qvsProgram } from "./qvs-program.ts";
import { withoutHeartbeats } from "./without-heartbeats.ts";

export interface QvsResult {
  /** As a shell tells it: 128 and the signal's number when a signal ended it. */
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** qvs under way: to be interrupted, or to be watched. */
export interface RunningQvs {
  readonly child: ChildProcess;
  readonly result: Promise<QvsResult>;
  /** Resolves as soon as stderr holds `text`; rejects with all of it when qvs ends without having said so. */
  says(text: string): Promise<void>;
}

/** Reading the sources without it takes longer than most commands do. */
export const compileCache = join(import.meta.dirname, "../../node_modules/.cache/qvs-tests");

/** Runs the real program as its users do, with an environment of its own: no HOME, no KUBECONFIG but a given one. */
export function startQvs(
  directory: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  program = qvsProgram,
): RunningQvs {
  const own = {
    PATH: process.env.PATH,
    HOME: join(tmpdir(), "nobody-lives-here"),
    USER: "dev",
    NODE_COMPILE_CACHE: compileCache,
  };
  const child = spawn(process.execPath, [program, ...args], {
    cwd: directory,
    env: { ...own, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const output = { stdout: "", stderr: "" };
  child.stdout.on("data", (chunk) => (output.stdout += chunk));
  child.stderr.on("data", (chunk) => (output.stderr += chunk));
  const result = new Promise<QvsResult>((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code, signal) =>
      resolve({
        code: code ?? 128 + constants.signals[signal ?? "SIGKILL"],
        stdout: output.stdout,
        stderr: withoutHeartbeats(output.stderr),
      }),
    );
  });
  return { child, result, says: (text) => untilSaid(child, output, result, text) };
}

export function runQvs(
  directory: string,
  args: readonly string[],
  env?: Readonly<Record<string, string>>,
): Promise<QvsResult> {
  return startQvs(directory, args, env).result;
}

/** What is shipped, not the sources that it was built from. */
export function runBuilt(
  directory: string,
  args: readonly string[],
  env?: Readonly<Record<string, string>>,
): Promise<QvsResult> {
  return startQvs(directory, args, env, builtProgram).result;
}

function untilSaid(
  child: ChildProcess,
  output: { readonly stderr: string },
  ended: Promise<QvsResult>,
  text: string,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const look = () => {
      if (output.stderr.includes(text)) resolve();
    };
    look();
    child.stderr?.on("data", look);
    ended.then(({ stderr }) => reject(new Error(`It never said "${text}":\n${stderr}`)), reject);
  });
}
