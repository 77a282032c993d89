import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { open, readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { userError } from "../../../src/model/problems/errors.ts";
import { ours, type ProcessRecord } from "./processes.ts";

/**
 * Programs of one control plane, which always end with this process. Their output is written to
 * `DIRECTORY/NAME.log`.
 */
export interface ProcessGroup {
  readonly directory: string;
  readonly processes: readonly ProcessRecord[];
  start(name: string, program: string, args: readonly string[]): Promise<void>;
  /** Throws with the end of the log if one of the programs has ended. */
  requireAlive(): Promise<void>;
  stop(): Promise<void>;
  /** Lets the programs continue when this process ends. */
  detach(): Promise<void>;
}

/** The line after which the guard stops nothing. */
const detachLine = "detach\n";

export interface ProcessGroupOptions {
  readonly directory: string;
  /** True to remove the directory when the programs have ended. */
  readonly temporary?: boolean;
}

export function processGroup({ directory, temporary = false }: ProcessGroupOptions): ProcessGroup {
  const processes: ProcessRecord[] = [];
  const guard = startGuard(directory, temporary);
  return {
    directory,
    processes,
    async start(name, program, args) {
      const started = { name, pid: await startProgram(directory, name, program, args) };
      processes.push(started);
      guard.stdin?.write(`${JSON.stringify(started)}\n`);
    },
    requireAlive: () => requireAlive(processes, directory),
    stop: () => finish(guard, ""),
    detach: () => finish(guard, detachLine),
  };
}

function startGuard(directory: string, temporary: boolean): ChildProcess {
  if (!process.features.typescript) {
    throw userError(
      "invalid-input",
      `Node ${process.version} can't run TypeScript, which the control plane's guard is written in`,
      "Run it through npm, which uses the Node of this project, or with Node 24",
    );
  }
  const program = join(import.meta.dirname, "guard.ts");
  const args = [program, directory, ...(temporary ? ["--remove"] : [])];
  // In its own session, so that Ctrl-C in the terminal doesn't end it before its work is done.
  const guard = spawn(process.execPath, args, {
    detached: true,
    stdio: ["pipe", "ignore", "ignore"],
  });
  guard.unref();
  return guard;
}

/** Closes the guard's input. This makes it stop everything, unless the last line prevents that. */
async function finish(guard: ChildProcess, lastLine: string): Promise<void> {
  if (guard.exitCode !== null || guard.signalCode !== null) return;
  const exited = once(guard, "exit");
  guard.ref();
  guard.stdin?.end(lastLine);
  await exited;
}

async function startProgram(
  directory: string,
  name: string,
  program: string,
  args: readonly string[],
): Promise<number> {
  const log = await open(join(directory, `${name}.log`), "w");
  // Go collects garbage a third as often, because memory is cheaper here than CPU time.
  const env = { ...process.env, GOGC: "300" };
  const child = spawn(program, args, { detached: true, env, stdio: ["ignore", log.fd, log.fd] });
  await once(child, "spawn");
  await log.close();
  child.unref();
  if (child.pid === undefined) throw new Error(`${program} was spawned without a pid.`);
  await untilVisible(child, { name, pid: child.pid }, directory);
  return child.pid;
}

/**
 * Waits until the program's command line is visible. While a large program is loading, the line is
 * empty, and the program would be treated as ended.
 */
async function untilVisible(
  child: ChildProcess,
  started: ProcessRecord,
  directory: string,
): Promise<void> {
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null;
  while (!hasEnded() && (await ours([started], directory)).length === 0) await sleep(5);
}

async function requireAlive(processes: readonly ProcessRecord[], directory: string): Promise<void> {
  const alive = await ours(processes, directory);
  const ended = processes.find((one) => !alive.includes(one));
  if (ended === undefined) return;
  const log = join(directory, `${ended.name}.log`);
  const end = (await readFile(log, "utf8")).trimEnd().split("\n").slice(-15).join("\n");
  throw new Error(`${ended.name} has ended. The end of ${log}:\n${end}`);
}
