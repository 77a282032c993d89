import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";

export interface ProcessRecord {
  readonly name: string;
  readonly pid: number;
}

/** How long a program may take to end by itself before it is killed. Its data is thrown away anyway. */
const graceMilliseconds = 2_000;

/**
 * Ends the programs of one control plane and resolves when all are gone. etcd goes last: an apiserver that has lost
 * it hangs. A pid counts as ours only while its command line names `directory`, since pids are used again.
 */
export async function stopProcesses(
  processes: readonly ProcessRecord[],
  directory: string,
): Promise<void> {
  const etcd = processes.filter(({ name }) => name === "etcd");
  const others = processes.filter(({ name }) => name !== "etcd");
  await stopTogether(others, directory);
  await stopTogether(etcd, directory);
}

async function stopTogether(processes: readonly ProcessRecord[], directory: string): Promise<void> {
  await signalOurs(processes, directory, "SIGTERM");
  const deadline = Date.now() + graceMilliseconds;
  while (Date.now() < deadline) {
    if ((await ours(processes, directory)).length === 0) return;
    await sleep(20);
  }
  await signalOurs(processes, directory, "SIGKILL");
  while ((await ours(processes, directory)).length > 0) await sleep(20);
}

async function signalOurs(
  processes: readonly ProcessRecord[],
  directory: string,
  signal: NodeJS.Signals,
): Promise<void> {
  for (const { pid } of await ours(processes, directory)) {
    try {
      process.kill(pid, signal);
    } catch {
      // It ended in between, which is what we want.
    }
  }
}

/** Those of the processes that still run, and still are what we started. */
export async function ours(
  processes: readonly ProcessRecord[],
  directory: string,
): Promise<readonly ProcessRecord[]> {
  const commands = await Promise.all(processes.map(({ pid }) => commandLine(pid)));
  return processes.filter((_, index) => commands[index]?.includes(directory));
}

/** Empty for a process that no longer exists, and for one that has ended but was not yet waited for. */
async function commandLine(pid: number): Promise<string> {
  if (!isRunning(pid)) return "";
  const linux = await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => undefined);
  if (linux !== undefined || process.platform === "linux") return linux ?? "";
  const ps = await promisify(execFile)("ps", ["-o", "command=", "-p", String(pid)]).catch(
    () => undefined,
  );
  return ps?.stdout ?? "";
}

export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // A process of another user can't be signalled, but it runs.
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}
