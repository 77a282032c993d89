import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { at, textAt } from "../../src/model/json.ts";
import { addressOf, type KubeObject, uidOf } from "../../src/model/object.ts";
import type { Cluster } from "../../src/ports/kubernetes.ts";
import { type Replica, startReplica } from "../support/qvs/replica.ts";
import type { Relay } from "../support/servers/relay.ts";
import type { Chance } from "./chance.ts";
import { environmentOf, type ProgramPlace, soakedProgram, startProgram } from "./program.ts";

/** Deployments of ConfigMaps whose drift a controller corrects, and another user who edits them. */
export interface Watched {
  /** The replica that runs during the whole soak. Its connection fails from time to time. */
  readonly controller: Replica;
  readonly counts: WatchedCounts;
  /** Stops the edits, and waits until each object is as declared. Returns the flaws. */
  settle(): Promise<readonly string[]>;
  /** Continues the edits. */
  resume(): void;
  /** Ends the edits and the replicas, once. Returns the flaws. */
  stop(): Promise<readonly string[]>;
}

interface WatchedCounts {
  /** Edits and deletions by the other user. */
  edits: number;
  /** Interruptions of the first replica's connection. */
  disconnections: number;
  /** Kills of the second replica. */
  kills: number;
}

interface WatchedOptions extends ProgramPlace {
  readonly namespaces: readonly string[];
  /** The kubeconfig of the user `admin`, without faults. */
  readonly kubeconfig: string;
  /** The network of the first replica. */
  readonly relay: Relay;
  readonly cluster: Cluster;
  /** Returns the draws of one of the loops. */
  chance(loop: string): Chance;
}

/** The state that the loops share. */
interface Loops extends WatchedOptions {
  readonly directory: string;
  readonly counts: WatchedCounts;
  isPaused: boolean;
  isStopped: boolean;
}

/** The number of ConfigMaps in each namespace. */
const count = 6;
/** The longest time until the controller has corrected everything, with its longest backoff. */
const limitMs = 420_000;

export async function startWatched(options: WatchedOptions): Promise<Watched> {
  let directory = "";
  for (const namespace of options.namespaces) directory = await deployOnce(options, namespace);
  const counts = { edits: 0, disconnections: 0, kills: 0 };
  const loops: Loops = { ...options, directory, counts, isPaused: false, isStopped: false };
  const controller = await start(loops, "soak-0", options.relay.kubeconfig);
  let stopped: Promise<readonly string[]> | undefined;
  const running = [edit(loops), disconnect(loops), killSecond(loops)];
  return {
    controller,
    counts,
    settle() {
      loops.isPaused = true;
      return untilRight(options);
    },
    resume: () => {
      loops.isPaused = false;
    },
    stop() {
      stopped ??= stopAll(loops, running, controller);
      return stopped;
    },
  };
}

async function stopAll(
  loops: Loops,
  running: readonly Promise<void>[],
  controller: Replica,
): Promise<readonly string[]> {
  loops.isStopped = true;
  await Promise.all(running);
  const code = await controller.stop();
  return code === 0 ? [] : [`the controller ended with ${code}`];
}

function start({ namespaces, directory, ...place }: Loops, name: string, kubeconfig: string) {
  const flags = ["--lease-duration", "6s", "--listen", "127.0.0.1:0"];
  // Both replicas need the same namespace for their Leases.
  const where = ["--namespaces", namespaces.join(","), "--group-namespace", namespaces[0] ?? ""];
  return startReplica(
    {
      program: process.execPath,
      args: [soakedProgram, "reconcile", "--watch", ...where, ...flags],
      directory,
      environment: environmentOf(place),
    },
    kubeconfig,
    name,
  );
}

/** Edits and deletes objects. */
async function edit(loops: Loops): Promise<void> {
  const chance = loops.chance("edits");
  while (!loops.isStopped) {
    await sleep(chance.between(200, 3_000));
    if (loops.isPaused || loops.isStopped) continue;
    if (await editOne(loops, chance)) loops.counts.edits += 1;
  }
}

/** Interrupts the connection of the first replica. */
async function disconnect(loops: Loops): Promise<void> {
  const chance = loops.chance("connection");
  while (await waited(loops, chance.between(10, 60))) {
    if (loops.isPaused) continue;
    loops.counts.disconnections += 1;
    const ms = chance.between(500, 15_000);
    await (chance.happens(50) ? loops.relay.restart(ms) : loops.relay.stall(ms));
  }
}

/** Starts a second replica, and kills it from time to time. */
async function killSecond(loops: Loops): Promise<void> {
  const chance = loops.chance("second replica");
  let second = await startAgain(loops);
  while (await waited(loops, chance.between(20, 80))) {
    if (loops.isPaused || second === undefined) continue;
    process.kill(second.pid, "SIGKILL");
    await second.stop();
    loops.counts.kills += 1;
    second = await startAgain(loops);
  }
  await second?.stop();
}

/** Starts the second replica, as often as needed: it can end while the API server doesn't run. */
async function startAgain(loops: Loops): Promise<Replica | undefined> {
  while (!loops.isStopped) {
    try {
      return await start(loops, "soak-1", loops.kubeconfig);
    } catch {
      await sleep(2_000);
    }
  }
  return undefined;
}

/** Waits for some seconds. Returns false if the loops end before. */
async function waited(loops: Loops, seconds: number): Promise<boolean> {
  for (let left = seconds * 4; left > 0 && !loops.isStopped; left -= 1) await sleep(250);
  return !loops.isStopped;
}

async function deployOnce(options: WatchedOptions, namespace: string): Promise<string> {
  const directory = join(mkdtempSync(join(tmpdir(), "soak-watched-")), "demo");
  for (const folder of [".valuestream", "k8s"])
    mkdirSync(join(directory, folder), { recursive: true });
  const config = JSON.stringify({ designPatterns: [{ manifests: "../k8s" }] });
  writeFileSync(join(directory, ".valuestream/qvs.yaml"), config);
  for (const object of declaredIn(namespace))
    writeFileSync(join(directory, `k8s/${object.metadata.name}.yaml`), JSON.stringify(object));
  const env = { ...environmentOf(options), KUBECONFIG: options.kubeconfig };
  const { code, stderr } = await startProgram(directory, ["deploy", "-n", namespace], env).ended;
  if (code !== 0) throw new Error(`The watched deployment can't be created:\n${stderr}`);
  return directory;
}

function declaredIn(namespace: string): readonly KubeObject[] {
  return Array.from({ length: count }, (_, index) => settings(namespace, index, "right"));
}

function settings(namespace: string, index: number, value: string): KubeObject {
  return {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: `settings-${index}`, namespace },
    data: { value },
  };
}

/** Edits or deletes an object. Returns false if the API server doesn't accept it at present. */
async function editOne({ cluster, namespaces }: Loops, chance: Chance): Promise<boolean> {
  const value = `wrong ${chance.below(1_000)}`;
  const object = settings(chance.pick(namespaces), chance.below(count), value);
  const isDeletion = chance.happens(25);
  const options = { fieldManager: "another-user", dryRun: false, force: true };
  if (!isDeletion) return (await cluster.apply(object, options)).ok;
  const live = await cluster.read(addressOf(object));
  if (!live.ok || live.value === undefined) return false;
  return (await cluster.delete(addressOf(object), uidOf(live.value))).ok;
}

async function untilRight(options: WatchedOptions): Promise<readonly string[]> {
  const deadline = Date.now() + limitMs;
  for (;;) {
    const all = options.namespaces.map((namespace) => wrongObjects(options, namespace));
    const wrong = (await Promise.all(all)).flat();
    if (wrong.length === 0) return [];
    if (Date.now() > deadline) return wrong.map((name) => `the controller doesn't correct ${name}`);
    await sleep(500);
  }
}

async function wrongObjects(
  { cluster }: WatchedOptions,
  namespace: string,
): Promise<readonly string[]> {
  const listed = await cluster.list("v1", "ConfigMap", namespace);
  if (!listed.ok) return [listed.failure.message];
  const values = new Map(
    listed.value.items.map((object) => [
      textAt(object, "metadata", "name"),
      at(object, "data", "value"),
    ]),
  );
  return declaredIn(namespace)
    .map(({ metadata }) => `${metadata.name}`)
    .filter((name) => values.get(name) !== "right")
    .map((name) => `${namespace}/${name}`);
}
