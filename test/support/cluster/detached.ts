import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { withLock } from "../processes/lock.ts";
import { processGroup } from "../processes/process-group.ts";
import { ours, type ProcessRecord, stopProcesses } from "../processes/processes.ts";
import type { ClusterAddress } from "./address.ts";
import { cacheDirectory } from "./cache.ts";
import { startRollouts } from "./rollouts.ts";
import { startCluster } from "./start.ts";

/** The control plane that continues to run after `npm run cluster -- up`. There is one per user. */
export interface DetachedCluster {
  readonly address: ClusterAddress;
  readonly processes: readonly ProcessRecord[];
}

/**
 * Starts it, or returns the running one. If only some of its programs still run, it stops them
 * first.
 */
export async function up(options: { readonly rollouts: boolean }): Promise<DetachedCluster> {
  await mkdir(cacheDirectory(), { recursive: true });
  return withLock(join(cacheDirectory(), "cluster.lock"), async () => {
    const running = (await findWhole()) ?? (await startFresh());
    const cluster = options.rollouts ? await withRollouts(running) : running;
    await writeFile(stateFile(), JSON.stringify(cluster));
    return cluster;
  });
}

async function findWhole(): Promise<DetachedCluster | undefined> {
  const known = await find();
  if (known === undefined) return undefined;
  const alive = await ours(known.processes, directory());
  return alive.length === known.processes.length ? known : undefined;
}

async function startFresh(): Promise<DetachedCluster> {
  await down();
  await mkdir(directory(), { recursive: true });
  const cluster = await startCluster({ directory: directory() });
  await cluster.detach();
  const { server, kubeconfig, kubectl, auditLog, processes } = cluster;
  return { address: { directory: directory(), server, kubeconfig, kubectl, auditLog }, processes };
}

async function withRollouts({ address, processes }: DetachedCluster): Promise<DetachedCluster> {
  if (processes.some(({ name }) => name === "rollouts-controller")) return { address, processes };
  const group = processGroup({ directory: address.directory });
  await startRollouts(address, group);
  await group.detach();
  return { address, processes: [...processes, ...group.processes] };
}

/** Stops all its programs and removes its data. Returns the stopped programs. */
export async function down(): Promise<readonly ProcessRecord[]> {
  const known = await find();
  const alive = await ours(known?.processes ?? [], directory());
  await stopProcesses(alive, directory());
  await rm(directory(), { recursive: true, force: true });
  return alive;
}

/** Returns the control plane that the last `up` started, even if it no longer runs. */
export async function find(): Promise<DetachedCluster | undefined> {
  const state = await readFile(stateFile(), "utf8").catch(() => undefined);
  return state === undefined ? undefined : JSON.parse(state);
}

function directory(): string {
  return join(cacheDirectory(), "cluster");
}

function stateFile(): string {
  return join(directory(), "state.json");
}
