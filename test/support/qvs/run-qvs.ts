import { type ChildProcess, spawn } from "node:child_process";
import { constants, tmpdir } from "node:os";
import { join } from "node:path";
import { exitCode } from "../../../src/cli/output/report-failure.ts";
import { builtProgram, loadProgram, qvsProgram, sharedEngines } from "./qvs-program.ts";
import { openShell, processOf } from "./test-process.ts";
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

/** The environment of a command: no HOME, and only the given KUBECONFIG. */
function environment(env: Readonly<Record<string, string>>): NodeJS.ProcessEnv {
  const own = { PATH: process.env.PATH, HOME: join(tmpdir(), "nobody-lives-here"), USER: "dev" };
  return { ...own, QVS_ENGINE: process.env.QVS_TEST_ENGINE ?? "wasm", ...env };
}

/** Starts the real program as a process. */
export function startQvs(
  directory: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  program = qvsProgram,
): RunningQvs {
  const child = spawn(process.execPath, [program, ...args], {
    cwd: directory,
    env: { NODE_COMPILE_CACHE: compileCache, ...environment(env) },
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

/**
 * Runs the program within this process, with engines that all commands of a test file share.
 * It rejects for a bug of qvs.
 */
export async function runQvs(
  directory: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<QvsResult> {
  const shell = openShell(directory, args, environment(env));
  const own = processOf(shell);
  const { runProgram } = await loadProgram();
  await runProgram(own, sharedEngines());
  own.emit("exit", 0);
  const [code, stdout, stderr] = [Number(own.exitCode), shell.stdout.text(), shell.stderr.text()];
  if (code === exitCode.bug) throw new Error(`qvs ${args.join(" ")} crashed:\n${stderr}`);
  return { code, stdout, stderr: withoutHeartbeats(stderr) };
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
    ended.then(
      ({ stderr }) => reject(new Error(`The output doesn't contain "${text}":\n${stderr}`)),
      reject,
    );
  });
}
