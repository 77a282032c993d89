import { mkdirSync, mkdtempSync, readdirSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openCluster } from "../../src/io/kubernetes/cluster.ts";
import { connect } from "../../src/io/kubernetes/kubeconfig/connect.ts";
import { textAt } from "../../src/model/json.ts";
import type { Cluster } from "../../src/ports/kubernetes.ts";
import { startCluster } from "../support/cluster/start.ts";
import { type LoadResult, startLoad } from "../support/node/load.ts";
import { type RunningNode, startNode } from "../support/node/start-node.ts";
import { nodeAt } from "../support/node/use-node.ts";
import { startRelay } from "../support/servers/relay.ts";
import { restartsOf } from "../sweeps/restarts.ts";
import { appIn } from "./app.ts";
import { chanceOf } from "./chance.ts";
import { divideLosses, type Figures, noFigures, sample } from "./figures.ts";
import { plantBystanders } from "./inspect.ts";
import { soakedProgram } from "./program.ts";
import { type Steps, startSteps } from "./steps.ts";
import { images } from "./versions.ts";
import { startWatched, type Watched } from "./watched.ts";

export interface SoakOptions {
  readonly minutes: number;
  readonly seed: number;
  /** True for simulated nodes, which need no root and answer no requests. */
  readonly simulated: boolean;
  /** Ends the soak early, after the current step. */
  readonly signal: AbortSignal;
  /** Prints the progress. */
  report(line: string): void;
}

/** The results of a soak. */
export interface SoakResult extends SoakOptions {
  readonly figures: Figures;
  readonly steps: number;
  /** The requests to the application. Undefined with simulated nodes. */
  readonly load: LoadResult | undefined;
  readonly lost: ReturnType<typeof divideLosses>;
  readonly watched: Watched["counts"];
  /** The checks by the controller, by their outcomes. */
  readonly checks: ReadonlyMap<string, number>;
  /** Files that qvs left in its temporary directory, and in the home directory outside caches. */
  readonly files: readonly string[];
  /** Leases with a holder at the end. */
  readonly leases: readonly string[];
}

/** Deploys, kills and judges on a new control plane until the time is over. */
export async function soak(options: SoakOptions): Promise<SoakResult> {
  const node = await (options.simulated ? simulatedNodes() : startNode());
  try {
    return await soakOn(node, options);
  } finally {
    await node.stop();
  }
}

async function simulatedNodes(): Promise<RunningNode> {
  const cluster = await startCluster({ nodes: 2 });
  return { cluster, stop: () => cluster.stop() };
}

async function soakOn(
  { cluster: running }: RunningNode,
  options: SoakOptions,
): Promise<SoakResult> {
  const node = nodeAt(running);
  if (!options.simulated) for (const image of images) await node.image(image);
  const kubeconfig = { path: running.kubeconfigFor("kubectl") };
  const cluster = openCluster(await connect({ kubeconfig, env: {} }));
  const restarts = restartsOf(running);
  const work = mkdtempSync(join(tmpdir(), "soak-"));
  const place = {
    home: join(work, "home"),
    temporary: join(work, "tmp"),
    kubeconfig: running.kubeconfigFor("admin"),
  };
  for (const folder of [place.home, place.temporary]) mkdirSync(folder);
  const figures = noFigures();
  const relay = await startRelay(place.kubeconfig, work);
  let stopWatched: Watched["stop"] | undefined;
  try {
    const namespace = await node.namespace("soak");
    const watchedNamespaces = [
      await node.namespace("watched"),
      await node.namespace("watched"),
      await node.namespace("watched"),
    ];
    const steps = await startSteps({
      app: appIn(namespace, place),
      cluster,
      restarts,
      bystanders: await plantBystanders(cluster, namespace),
      figures,
      chance: chanceOf(options.seed, "steps"),
      report: options.report,
    });
    const watched = await startWatched({
      ...place,
      namespaces: watchedNamespaces,
      relay,
      cluster,
      chance: (loop) => chanceOf(options.seed, loop),
    });
    stopWatched = watched.stop;
    const startedAt = Date.now();
    const load = options.simulated
      ? undefined
      : await startLoad(await node.serviceUrl(namespace, "web"), 20, options.minutes * 3 + 30);
    await repeat(options, steps, watched, figures);
    figures.flaws.push(...(await watched.settle()));
    const checks = await watched.controller.looks();
    figures.flaws.push(...(await watched.stop()));
    const loadResult = await load?.stop();
    return {
      ...options,
      figures,
      steps: steps.count(),
      load: loadResult,
      lost: divideLosses(loadResult?.log ?? "", figures, startedAt),
      watched: watched.counts,
      checks,
      files: leftFiles(place),
      leases: [
        ...(await heldLeases(cluster, [namespace, ...watchedNamespaces])),
        ...leftProcesses(),
      ],
    };
  } finally {
    await stopWatched?.();
    relay.close();
    cluster.close();
    await restarts.stop();
  }
}

/** The time between two samples of the controller. */
const sampleMs = 5_000;
/** The number of steps between two checks of the controller's deployment. */
const stepsPerCheck = 8;

async function repeat(
  { minutes, signal, report }: SoakOptions,
  steps: Steps,
  watched: Watched,
  figures: Figures,
): Promise<void> {
  const deadline = Date.now() + minutes * 60_000;
  const timer = setInterval(() => sample(figures, watched.controller), sampleMs);
  try {
    while (Date.now() < deadline && !signal.aborted) {
      await steps.step().catch((error) => {
        figures.flaws.push(`step ${steps.count()} can't be judged: ${error}`);
      });
      if (!sample(figures, watched.controller)) {
        figures.flaws.push("the controller has ended");
        return;
      }
      if (steps.count() % stepsPerCheck !== 0) continue;
      report("The controller corrects everything");
      figures.flaws.push(...(await watched.settle()));
      watched.resume();
    }
  } finally {
    clearInterval(timer);
  }
}

/** Returns the files that ended runs have left. */
function leftFiles({
  home,
  temporary,
}: {
  readonly home: string;
  readonly temporary: string;
}): readonly string[] {
  const options = { recursive: true, encoding: "utf8" } as const;
  return [
    ...readdirSync(temporary, options),
    ...readdirSync(home, options).filter((file) => !file.startsWith(".cache")),
  ];
}

async function heldLeases(
  cluster: Cluster,
  namespaces: readonly string[],
): Promise<readonly string[]> {
  const held: string[] = [];
  for (const namespace of namespaces) {
    const listed = await cluster.list("coordination.k8s.io/v1", "Lease", namespace);
    if (!listed.ok) throw new Error(listed.failure.message);
    for (const lease of listed.value.items) {
      const holder = textAt(lease, "spec", "holderIdentity") ?? "";
      const name = textAt(lease, "metadata", "name");
      if (holder !== "") held.push(`${namespace}/${name} is held by ${holder}`);
    }
  }
  return held;
}

/** Returns the processes of qvs that still run. */
function leftProcesses(): readonly string[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        const line = readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ").trim();
        return line.includes(soakedProgram) ? [`process ${pid}: ${line}`] : [];
      } catch {
        return [];
      }
    });
}
