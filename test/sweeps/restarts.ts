import { readFile } from "node:fs/promises";
import { get } from "node:https";
import { setTimeout as sleep } from "node:timers/promises";
import type { RunningCluster } from "../support/cluster/start.ts";
import { type ProcessGroup, processGroup } from "../support/processes/process-group.ts";
import { until } from "../support/processes/until.ts";

/** Controls the API server of a separate control plane. */
export interface Restarts {
  /** Ends the API server and starts it again with the same arguments. Resolves when it answers. */
  restart(signal?: NodeJS.Signals): Promise<void>;
  /** Call this before the control plane is stopped. */
  stop(): Promise<void>;
}

export function restartsOf(cluster: RunningCluster): Restarts {
  const revived: ProcessGroup[] = [];
  return {
    async restart(signal = "SIGKILL") {
      const processes = [...cluster.processes, ...revived.flatMap((group) => group.processes)];
      const last = processes.findLast(({ name }) => name === "kube-apiserver");
      if (last === undefined) throw new Error("there is no API server");
      const [program = "", ...args] = (await readFile(`/proc/${last.pid}/cmdline`, "utf8"))
        .split("\0")
        .slice(0, -1);
      process.kill(last.pid, signal);
      while (await isAlive(last.pid)) await sleep(50);
      await sleep(1_000);
      const group = processGroup({ directory: cluster.directory });
      revived.push(group);
      await group.start(last.name, program, args);
      await until("kube-apiserver did not come back", () => isReady(cluster.server), group);
    },
    async stop() {
      for (const group of revived) await group.stop();
    },
  };
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
