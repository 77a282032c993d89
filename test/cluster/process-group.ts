import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { open, readFile } from "node:fs/promises";
import { join } from "node:path";
import { userError } from "../../src/errors.ts";
import { ours, type ProcessRecord, stopProcesses } from "./processes.ts";

/** The programs of one control plane. Their output goes to `DIRECTORY/NAME.log`. */
export interface ProcessGroup {
  readonly processes: readonly ProcessRecord[];
  start(name: string, program: string, args: readonly string[]): Promise<void>;
  /** Throws with the end of its log when one of the programs has ended. */
  requireAlive(): Promise<void>;
  stop(): Promise<void>;
}

export interface ProcessGroupOptions {
  readonly directory: string;
  /** Go on when this process ends. Otherwise the programs end with it, however it ends. */
  readonly detached?: boolean;
  /** Remove the directory when the programs have ended; not for a detached group. */
  readonly temporary?: boolean;
  /** Programs that an earlier process has started in the same directory. */
  readonly running?: readonly ProcessRecord[];
}

export function processGroup(options: ProcessGroupOptions): ProcessGroup {
  const { directory } = options;
  const processes = [...(options.running ?? [])];
  const guard = options.detached ? undefined : startGuard(directory, options.temporary ?? false);
  return {
    processes,
    async start(name, program, args) {
      const started = { name, pid: await startProgram(directory, name, program, args) };
      processes.push(started);
      guard?.stdin?.write(`${JSON.stringify(started)}\n`);
    },
    requireAlive: () => requireAlive(processes, directory),
    stop: () => (guard === undefined ? stopProcesses(processes, directory) : dismiss(guard)),
  };
}

function startGuard(directory: string, temporary: boolean): ChildProcess {
  if (!process.features.typescript) {
    throw userError(
      `Node ${process.version} can't run TypeScript, which the control plane's guard is written in`,
      "Run it through npm, which uses the Node of this project, or with Node 24",
    );
  }
  const program = join(import.meta.dirname, "guard.ts");
  const args = [program, directory, ...(temporary ? ["--remove"] : [])];
  // In a session of its own, or a Ctrl-C meant for us would end it before its work.
  const guard = spawn(process.execPath, args, {
    detached: true,
    stdio: ["pipe", "ignore", "ignore"],
  });
  guard.unref();
  return guard;
}

/** Closing its input is the guard's signal; it exits when everything has ended. */
async function dismiss(guard: ChildProcess): Promise<void> {
  if (guard.exitCode !== null || guard.signalCode !== null) return;
  const exited = once(guard, "exit");
  guard.ref();
  guard.stdin?.end();
  await exited;
}

async function startProgram(
  directory: string,
  name: string,
  program: string,
  args: readonly string[],
): Promise<number> {
  const log = await open(join(directory, `${name}.log`), "w");
  const child = spawn(program, args, { detached: true, stdio: ["ignore", log.fd, log.fd] });
  await once(child, "spawn");
  await log.close();
  child.unref();
  if (child.pid === undefined) throw new Error(`${program} was spawned without a pid.`);
  return child.pid;
}

async function requireAlive(processes: readonly ProcessRecord[], directory: string): Promise<void> {
  const alive = await ours(processes, directory);
  const ended = processes.find((one) => !alive.includes(one));
  if (ended === undefined) return;
  const log = join(directory, `${ended.name}.log`);
  const end = (await readFile(log, "utf8")).trimEnd().split("\n").slice(-15).join("\n");
  throw new Error(`${ended.name} has ended. The end of ${log}:\n${end}`);
}
