import { type ChildProcess, spawn } from "node:child_process";
import { constants, tmpdir } from "node:os";
import { join } from "node:path";
import { builtProgram, qvsProgram } from "./qvs-program.ts";
import { withoutHeartbeats } from "./without-heartbeats.ts";

export interface QvsResult {
  /** The exit code in the format of a shell: 128 plus the signal's number if a signal ended it. */
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** A run of qvs that a test can interrupt or observe. */
export interface RunningQvs {
  readonly child: ChildProcess;
  readonly result: Promise<QvsResult>;
  /** Resolves when stderr contains `text`. Rejects with all of stderr if qvs ends before that. */
  says(text: string): Promise<void>;
}

/** The compile cache. Without it, loading the sources takes longer than most commands. */
export const compileCache = join(import.meta.dirname, "../../../node_modules/.cache/qvs-tests");

/** Starts the real program in a separate environment: no HOME, and only the given KUBECONFIG. */
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

/** Runs the released program instead of the sources. */
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
