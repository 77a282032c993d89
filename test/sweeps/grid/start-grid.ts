import { type ClusterOptions, startCluster } from "../../support/cluster/start.ts";
import { clusterAt } from "../../support/cluster/use-cluster.ts";
import { startCompiler } from "../../support/cue/native.ts";
import { runHere } from "../../support/qvs/run-here.ts";
import type { GridCase } from "../../support/rollout-pieces.ts";
import { type Played, playCase } from "./play-case.ts";

/** A real scheduler with real controllers. */
export interface Grid {
  /**
   * Plays a case. Each case has its own nodes, which nothing else can use. Therefore cases run
   * concurrently: they mostly wait.
   */
  play(grid: GridCase, id: string): Promise<Played>;
  stop(): Promise<void>;
}

/** The number of concurrent cases for two cores. */
export const sideBySide = 12;

/** Returns the correct prediction for the outcome of a case. */
export function rightFor({ isOpen, isRace }: GridCase, { ended }: Played): Played["predicted"] {
  if (isOpen === true) return "unknown";
  return ended && isRace !== true ? "ends" : "does not end";
}

export async function startGrid(options: ClusterOptions = {}): Promise<Grid> {
  const compiler = startCompiler();
  const cleanups: (() => void)[] = [];
  const started = await startCluster({ nodes: 1, rollouts: true, auditLog: false, ...options });
  const cluster = clusterAt(started);
  for (const each of priorityClasses) await cluster.apply("default", JSON.stringify(each));
  return {
    play: (grid, id) =>
      playCase(grid, id, cluster, {
        onFinished: (work) => cleanups.push(work),
        run: (folder, args, env) => runHere(folder, args, compiler, env),
      }),
    async stop() {
      for (const cleanUp of cleanups) cleanUp();
      await compiler.close();
      await started.stop();
    },
  };
}

const priorityClasses = [
  priorityClass("grid-urgent", { value: 1000 }),
  priorityClass("grid-low", { value: 10 }),
  priorityClass("grid-patient", { value: 1000, preemptionPolicy: "Never" }),
];

function priorityClass(name: string, fields: object) {
  const apiVersion = "scheduling.k8s.io/v1";
  return { apiVersion, kind: "PriorityClass", metadata: { name }, ...fields };
}
