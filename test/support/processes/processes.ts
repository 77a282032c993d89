import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";

export interface ProcessRecord {
  readonly name: string;
  readonly pid: number;
}

/** Time for a program to end by itself before it is killed. Its data is deleted anyway. */
const graceMilliseconds = 2_000;

/**
 * Ends the programs of one control plane, and resolves when all have ended. etcd is the last one,
 * because an API server without etcd hangs. Pids are reused, so a pid counts only while its command
 * line contains `directory`.
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
      // The process has ended in the meantime.
    }
  }
}

/** Returns the processes that still run and are still the started ones. */
export async function ours(
  processes: readonly ProcessRecord[],
  directory: string,
): Promise<readonly ProcessRecord[]> {
  const commands = await Promise.all(processes.map(({ pid }) => commandLine(pid)));
  return processes.filter((_, index) => commands[index]?.includes(directory));
}

/**
 * Returns the command line. Empty if the process doesn't exist, or if it has ended and its parent
 * hasn't waited for it.
 */
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
    // The process of another user can't be signaled, but it runs.
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}
