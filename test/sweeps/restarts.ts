import { readFile } from "node:fs/promises";
import { get } from "node:https";
import { setTimeout as sleep } from "node:timers/promises";
import type { RunningCluster } from "../support/cluster/start.ts";
import { type ProcessGroup, processGroup } from "../support/processes/process-group.ts";

/** Controls the programs of a separate control plane. */
export interface Restarts {
  /**
   * Ends a program and starts it again with the same arguments. Resolves when the API server
   * answers.
   */
  restart(signal?: NodeJS.Signals, options?: RestartOptions): Promise<void>;
  /** Call this before the control plane is stopped. */
  stop(): Promise<void>;
}

interface RestartOptions {
  /** The name of the program. Default: `kube-apiserver`. */
  readonly program?: string;
  /** The time between the end and the start, in milliseconds. Default: 1,000. */
  readonly awayMs?: number;
}

export function restartsOf(cluster: RunningCluster): Restarts {
  let revived: ProcessGroup | undefined;
  return {
    async restart(signal = "SIGKILL", { program: name = "kube-apiserver", awayMs = 1_000 } = {}) {
      const processes = [...cluster.processes, ...(revived?.processes ?? [])];
      const last = processes.findLast((one) => one.name === name);
      if (last === undefined) throw new Error(`${name} doesn't run`);
      const [program = "", ...args] = (await readFile(`/proc/${last.pid}/cmdline`, "utf8"))
        .split("\0")
        .slice(0, -1);
      process.kill(last.pid, signal);
      while (await isAlive(last.pid)) await sleep(50);
      await sleep(awayMs);
      revived ??= processGroup({ directory: cluster.directory });
      await revived.start(name, program, args);
      await untilReady(cluster, revived);
    },
    async stop() {
      await revived?.stop();
    },
  };
}

/** Waits for the API server. Throws if the program that was started last has ended. */
async function untilReady({ server }: RunningCluster, revived: ProcessGroup): Promise<void> {
  const started = revived.processes.at(-1);
  while (!(await isReady(server))) {
    if (started !== undefined && !(await isAlive(started.pid)))
      throw new Error(`${started.name} ended again; see its log in ${revived.directory}`);
    await sleep(50);
  }
}

/**
 * Reports whether the process runs. An ended process whose parent hasn't waited for it has no
 * command line.
 */
async function isAlive(pid: number): Promise<boolean> {
  return (await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "")) !== "";
}

function isReady(server: string): Promise<boolean> {
  return new Promise((resolve) => {
    const options = { rejectUnauthorized: false, agent: false };
    const asked = get(`${server}/readyz`, options, (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    });
    asked.on("error", () => resolve(false));
  });
}
