import { type ChildProcess, spawn } from "node:child_process";
import { constants } from "node:os";
import { join } from "node:path";

const root = join(import.meta.dirname, "../..");

/** The program that the soak runs: the sources or, if QVS_TEST_DIST is set, the released one. */
export const soakedProgram = join(
  root,
  process.env["QVS_TEST_DIST"] === undefined ? "src/cli.ts" : "dist/cli.js",
);

/** The end of a run of qvs. */
export interface Ran {
  /** The exit code in the format of a shell: 128 plus the signal's number if a signal ended it. */
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
  readonly pid: number;
  /** True if the run was killed because it hadn't ended after a time far above its limits. */
  readonly hung: boolean;
}

export interface Running {
  readonly child: ChildProcess;
  readonly ended: Promise<Ran>;
}

/** Longer than any run needs: a rollout, a lock that expires, and all repeated requests. */
const longestRunMs = 900_000;

/** The directories that the runs can use for temporary files and caches. */
export interface ProgramPlace {
  readonly home: string;
  readonly temporary: string;
}

/** Returns the environment of the runs. The compile cache halves the time of a start. */
export function environmentOf({ home, temporary }: ProgramPlace) {
  return {
    PATH: process.env["PATH"] ?? "",
    HOME: home,
    TMPDIR: temporary,
    USER: "soak",
    NODE_COMPILE_CACHE: join(root, "node_modules/.cache/qvs-tests"),
  };
}

export function startProgram(
  directory: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Running {
  const child = spawn(process.execPath, [soakedProgram, ...args], {
    cwd: directory,
    env,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const output = { stdout: "", stderr: "" };
  child.stdout.on("data", (chunk) => (output.stdout += chunk));
  child.stderr.on("data", (chunk) => (output.stderr += chunk));
  let hung = false;
  const timer = setTimeout(() => {
    hung = true;
    child.kill("SIGKILL");
  }, longestRunMs);
  const ended = new Promise<Ran>((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code, signal) => {
      clearTimeout(timer);
      const number = code ?? 128 + constants.signals[signal ?? "SIGKILL"];
      resolve({ code: number, ...output, pid: child.pid ?? 0, hung });
    });
  });
  return { child, ended };
}
