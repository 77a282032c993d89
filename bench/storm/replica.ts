import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import type { Command } from "../timed.ts";

/** A replica of the controller under way. */
export interface Replica {
  /** User and system time so far, of all threads, in milliseconds. */
  cpuMs(): number;
  /** What it holds in memory now, in MB. */
  residentMb(): number;
  /** How often it has looked at a deployment so far, by what came of it. */
  looks(): Promise<ReadonlyMap<string, number>>;
  stop(): Promise<number | null>;
}

/** Resolves once it works. */
export async function startReplica(
  { program, args, directory }: Command,
  kubeconfig: string,
  name: string,
): Promise<Replica> {
  const child = spawn(program, args, {
    cwd: directory,
    env: { ...process.env, KUBECONFIG: kubeconfig, POD_NAME: name },
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
    child.on("close", (code) => reject(new Error(`A replica ended with ${code}:\n${text}`)));
  });
  const ended = new Promise<number | null>((resolve) => child.on("close", resolve));
  await isStarted;
  return {
    cpuMs: () => cpuMsOf(child),
    residentMb: () => residentMbOf(child),
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

/** Of `/proc/PID/stat` the fields utime and stime, counted in hundredths of a second. */
function cpuMsOf({ pid }: ChildProcess): number {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

function residentMbOf({ pid }: ChildProcess): number {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) / 1024;
}
