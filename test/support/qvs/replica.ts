import { type ChildProcess, spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";

/** A command that runs the controller, in any program of qvs. */
interface ReplicaCommand {
  readonly program: string;
  readonly args: readonly string[];
  readonly directory: string;
  /** More variables than those of this process. */
  readonly environment?: Readonly<Record<string, string>>;
}

/** A running replica of the controller. */
export interface Replica {
  readonly pid: number;
  /** The user and system time of all threads until now, in milliseconds. */
  cpuMs(): number;
  /** The current resident memory in MB. */
  residentMb(): number;
  /** The number of open files, sockets and other descriptors. */
  handles(): number;
  /** The number of runs over a deployment until now, by their outcomes. */
  looks(): Promise<ReadonlyMap<string, number>>;
  stop(): Promise<number | null>;
}

/** Starts a replica, and resolves when it is ready. */
export async function startReplica(
  { program, args, directory, environment = {} }: ReplicaCommand,
  kubeconfig: string,
  name: string,
): Promise<Replica> {
  const child = spawn(program, args, {
    cwd: directory,
    env: { ...process.env, ...environment, KUBECONFIG: kubeconfig, POD_NAME: name },
    stdio: ["ignore", "ignore", "pipe"],
  });
  let address = "";
  let text = "";
  const isStarted = new Promise<void>((resolve, reject) => {
    child.stderr.setEncoding("utf8").on("data", (chunk: string) => {
      const lines = (text + chunk).split("\n");
      text = lines.pop() ?? "";
      for (const line of lines) address = /"address":"([^"]+)"/.exec(line)?.[1] ?? address;
      if (lines.some((line) => line.includes('"replicas changed"'))) resolve();
    });
    child.on("close", (code) => reject(new Error(`A replica exited with ${code}:\n${text}`)));
  });
  const ended = new Promise<number | null>((resolve) => child.on("close", resolve));
  await isStarted;
  return {
    pid: child.pid ?? 0,
    cpuMs: () => cpuMsOf(child),
    residentMb: () => residentMbOf(child),
    handles: () => readdirSync(`/proc/${child.pid}/fd`).length,
    looks: () => looksAt(address),
    stop: () => {
      child.kill("SIGTERM");
      return ended;
    },
  };
}

async function looksAt(address: string): Promise<ReadonlyMap<string, number>> {
  const metrics = await (await fetch(`http://${address}/metrics`)).text();
  const counts = new Map<string, number>();
  for (const [, outcome = "", count] of metrics.matchAll(
    /^qvs_reconcile_total\{.*outcome="(\w+)"\} (\d+)$/gm,
  )) {
    counts.set(outcome, (counts.get(outcome) ?? 0) + Number(count));
  }
  return counts;
}

/** Returns the fields utime and stime of `/proc/PID/stat`, which count hundredths of a second. */
function cpuMsOf({ pid }: ChildProcess): number {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

function residentMbOf({ pid }: ChildProcess): number {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) / 1024;
}
