import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { withLock } from "../processes/lock.ts";
import { processGroup } from "../processes/process-group.ts";
import { type ProcessRecord, runningProcesses, stopProcesses } from "../processes/processes.ts";
import type { ClusterAddress } from "./address.ts";
import { cacheDirectory } from "./cache.ts";
import { selectedKubernetes } from "./kubernetes-versions.ts";
import { startRollouts } from "./rollouts.ts";
import { startCluster } from "./start.ts";

/**
 * The control plane that continues to run after `npm run cluster -- up`. Each user has one per
 * version of Kubernetes, and `QVS_KUBERNETES` selects it.
 */
export interface DetachedCluster {
  readonly address: ClusterAddress;
  readonly processes: readonly ProcessRecord[];
}

/**
 * Starts the control plane, or returns the running one. If only some of its programs still run, it
 * stops them first.
 */
export async function up(options: { readonly rollouts: boolean }): Promise<DetachedCluster> {
  await mkdir(cacheDirectory(), { recursive: true });
  return withLock(`${directory()}.lock`, async () => {
    const running = (await findWhole()) ?? (await startFresh());
    const cluster = options.rollouts ? await withRollouts(running) : running;
    await writeFile(stateFile(), JSON.stringify(cluster));
    return cluster;
  });
}

async function findWhole(): Promise<DetachedCluster | undefined> {
  const known = await find();
  if (known === undefined) return undefined;
  const alive = await runningProcesses(known.processes, directory());
  return alive.length === known.processes.length ? known : undefined;
}

async function startFresh(): Promise<DetachedCluster> {
  await down();
  await mkdir(directory(), { recursive: true });
  const cluster = await startCluster({
    directory: directory(),
    kubernetes: selectedKubernetes(),
  });
  await cluster.detach();
  const { server, kubeconfig, kubectl, auditLog, processes } = cluster;
  const address = { directory: directory(), server, kubeconfig, kubectl, auditLog };
  return { address, processes };
}

async function withRollouts(running: DetachedCluster): Promise<DetachedCluster> {
  const { address, processes } = running;
  if (processes.some(({ name }) => name === "rollouts-controller")) return running;
  const group = processGroup({ directory: address.directory });
  await startRollouts(address, group);
  await group.detach();
  return { ...running, processes: [...processes, ...group.processes] };
}

/** Stops all its programs and removes its data. Returns the stopped programs. */
export async function down(): Promise<readonly ProcessRecord[]> {
  const known = await find();
  const alive = await runningProcesses(known?.processes ?? [], directory());
  await stopProcesses(alive, directory());
  await rm(directory(), { recursive: true, force: true });
  return alive;
}

/** Returns the control plane that the last `up` started, even if it no longer runs. */
export async function find(): Promise<DetachedCluster | undefined> {
  const state = await readFile(stateFile(), "utf8").catch(() => undefined);
  return state === undefined ? undefined : JSON.parse(state);
}

/** Returns the directory of the selected version, so that control planes can run side by side. */
function directory(): string {
  const version = selectedKubernetes();
  return join(cacheDirectory(), version === undefined ? "cluster" : `cluster-${version}`);
}

function stateFile(): string {
  return join(directory(), "state.json");
}
