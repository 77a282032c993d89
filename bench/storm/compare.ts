import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pMap from "p-map";
import { type OpenCluster, openCluster } from "../../src/io/kubernetes/cluster.ts";
import { connect } from "../../src/io/kubernetes/kubeconfig/connect.ts";
import { at } from "../../src/model/json.ts";
import { runKubectl } from "../../test/support/cluster/kubectl.ts";
import { type RunningCluster, startCluster } from "../../test/support/cluster/start.ts";
import { type Replica, startReplica } from "../../test/support/qvs/replica.ts";
import { type Relay, startRelay } from "../../test/support/servers/relay.ts";
import { qvs } from "../qvs.ts";
import { countRequests } from "../scale/count-requests.ts";
import type { Row, Section } from "../section.ts";
import { timed } from "../timed.ts";

const repository = join(import.meta.dirname, "../config-maps");
const policy = join(import.meta.dirname, "../scale/audit-policy.yaml");

const perDeployment = 10;
const replicas = 3;
const editsEach = 20;
/** The time in which all edits happen. */
const stormMs = 60_000;
const awayMs = 5_000;
/** The longest time from the last edit until every object is as declared. */
const limitMs = 300_000;
const right = "first";

/**
 * Measures three replicas while another client changes every object twenty times within a minute
 * and the API server is unavailable twice, and then while nothing happens. Throws if any object
 * isn't as declared at the end.
 */
export async function compareStorm(objects: number, minutes: number): Promise<Section> {
  const cluster = await startCluster({ auditLog: { policy } });
  const relay = await startRelay(cluster.kubeconfig, cluster.directory);
  try {
    const namespaces = Array.from({ length: objects / perDeployment }, (_, i) => `storm-${i}`);
    await pMap(namespaces, (namespace) => deploy(cluster, namespace), { concurrency: 2 });
    return await measure(cluster, relay, namespaces, minutes);
  } finally {
    relay.close();
    await cluster.stop();
  }
}

async function deploy(cluster: RunningCluster, namespace: string): Promise<void> {
  await runKubectl(["create", "namespace", namespace], { ...cluster, user: "admin" });
  const given = { count: perDeployment, namespace, value: right };
  const params = Object.entries(given).flatMap(([name, value]) => ["--param", `${name}=${value}`]);
  const where = ["--kubeconfig", cluster.kubeconfig, "--namespace", namespace, "--quiet"];
  await timed(qvs(repository, "deploy", "--config", ".valuestream/qvs.yaml", ...where, ...params));
}

async function measure(
  cluster: RunningCluster,
  relay: Relay,
  namespaces: readonly string[],
  minutes: number,
): Promise<Section> {
  const flags = ["--all-namespaces", "--group-namespace", "default", "--listen", "127.0.0.1:0"];
  const command = qvs(cluster.directory, "reconcile", "--watch", ...flags);
  const names = Array.from({ length: replicas }, (_, index) => `replica-${index}`);
  const all = await Promise.all(names.map((name) => startReplica(command, relay.kubeconfig, name)));
  const kubeconfig = { path: cluster.kubeconfigFor("kubectl") };
  const otherClient = openCluster(await connect({ kubeconfig, env: {} }));
  try {
    await sleep(20_000);
    const began = performance.now();
    const stormed = await costOf(cluster, all, () => storm(otherClient, relay, namespaces));
    const memory: number[][] = [];
    const end = began + minutes * 60_000;
    const idle = await costOf(cluster, all, async () => {
      while (performance.now() < end || memory.length < 2) {
        memory.push(all.map((one) => one.residentMb()));
        await sleep(Math.min(30_000, Math.max(1_000, end - performance.now())));
      }
      return undefined;
    });
    await requireRight(otherClient, namespaces);
    const codes = await Promise.all(all.map((one) => one.stop()));
    if (codes.some((code) => code !== 0))
      throw new Error(`A replica ended with ${codes.join(", ")}`);
    return sectionOf({ namespaces, minutes, stormed, idle, memory });
  } finally {
    otherClient.close();
    for (const one of all) await one.stop();
  }
}

interface Measured<T> {
  readonly result: T;
  readonly requests: string;
  readonly wallMs: number;
  /** The CPU time of all replicas together. */
  readonly cpuMs: number;
  /** The number of runs over a deployment, by their outcomes. */
  readonly looks: ReadonlyMap<string, number>;
}

async function costOf<T>(
  cluster: RunningCluster,
  all: readonly Replica[],
  work: () => Promise<T>,
): Promise<Measured<T>> {
  const total = (read: (one: Replica) => number) => all.reduce((sum, one) => sum + read(one), 0);
  const cpuBefore = total((one) => one.cpuMs());
  const looksBefore = await looksOf(all);
  const began = performance.now();
  const { result, requests } = await countRequests(cluster.auditLog, work);
  return {
    result,
    requests,
    wallMs: performance.now() - began,
    cpuMs: total((one) => one.cpuMs()) - cpuBefore,
    looks: difference(await looksOf(all), looksBefore),
  };
}

async function looksOf(all: readonly Replica[]): Promise<ReadonlyMap<string, number>> {
  const sums = new Map<string, number>();
  for (const counts of await Promise.all(all.map((one) => one.looks()))) {
    for (const [outcome, count] of counts) sums.set(outcome, (sums.get(outcome) ?? 0) + count);
  }
  return sums;
}

function difference(after: ReadonlyMap<string, number>, before: ReadonlyMap<string, number>) {
  return new Map(
    [...after].map(([outcome, count]) => [outcome, count - (before.get(outcome) ?? 0)]),
  );
}

/**
 * Changes all objects. Returns the time from the last edit until every object is as declared, in
 * milliseconds.
 */
async function storm(
  otherClient: OpenCluster,
  relay: Relay,
  namespaces: readonly string[],
): Promise<number> {
  const restarts = [0.3, 0.7].map(async (part) => {
    await sleep(stormMs * part);
    await relay.restart(awayMs);
  });
  const objects = namespaces.flatMap((namespace) =>
    Array.from({ length: perDeployment }, (_, index) => ({ namespace, name: `config-${index}` })),
  );
  const began = performance.now();
  for (let round = 0; round < editsEach; round += 1) {
    await sleep(Math.max(0, began + (round * stormMs) / editsEach - performance.now()));
    await pMap(objects, (object) => edit(otherClient, object, `wrong ${round}`), {
      concurrency: 16,
    });
  }
  await Promise.all(restarts);
  const last = performance.now();
  while (!(await allRight(otherClient, namespaces))) {
    if (performance.now() - last > limitMs) await requireRight(otherClient, namespaces);
    await sleep(500);
  }
  return performance.now() - last;
}

async function edit(
  otherClient: OpenCluster,
  { namespace, name }: { readonly namespace: string; readonly name: string },
  value: string,
): Promise<void> {
  const object = {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name, namespace },
    data: { value },
  };
  const options = { fieldManager: "another-client", dryRun: false, force: true };
  const answer = await otherClient.apply(object, options);
  if (!answer.ok) throw new Error(answer.failure.message);
}

async function wrongObjects(
  otherClient: OpenCluster,
  namespaces: readonly string[],
): Promise<readonly string[]> {
  const listed = await otherClient.list("v1", "ConfigMap", undefined, "vs.axis-dev.io/deployment");
  if (!listed.ok) throw new Error(listed.failure.message);
  const ours = listed.value.items;
  const missing = namespaces.length * perDeployment - ours.length;
  const wrong = ours.filter((object) => at(object, "data", "value") !== right);
  const texts = wrong.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`);
  return missing === 0 ? texts : [...texts, `${missing} are missing`];
}

async function allRight(otherClient: OpenCluster, namespaces: readonly string[]): Promise<boolean> {
  return (await wrongObjects(otherClient, namespaces)).length === 0;
}

async function requireRight(
  otherClient: OpenCluster,
  namespaces: readonly string[],
): Promise<void> {
  const wrong = await wrongObjects(otherClient, namespaces);
  if (wrong.length > 0) throw new Error(`Not as declared: ${wrong.join(", ")}`);
}

interface Measurements {
  readonly namespaces: readonly string[];
  readonly minutes: number;
  readonly stormed: Measured<number>;
  readonly idle: Measured<undefined>;
  /** The memory of each replica in each sample, in MB. */
  readonly memory: readonly (readonly number[])[];
}

function textOf(looks: ReadonlyMap<string, number>): string {
  const counted = [...looks].filter(([, count]) => count > 0).toSorted();
  return counted.map(([outcome, count]) => `${count} ${outcome}`).join(", ");
}

function sectionOf({ namespaces, minutes, stormed, idle, memory }: Measurements): Section {
  const objects = namespaces.length * perDeployment;
  const hours = idle.wallMs / 3_600_000;
  const count = idle.requests.split(", ").reduce((sum, each) => sum + Number.parseInt(each, 10), 0);
  const peak = (samples: typeof memory) => Math.max(...samples.flat());
  const mean = (sample: readonly number[] = []) =>
    Math.round(sample.reduce((sum, one) => sum + one, 0) / sample.length);
  const third = Math.ceil(memory.length / 3);
  const rows: Row[] = [
    {
      subject: "storm, until every object is as declared",
      costs: [
        {
          wallMs: stormed.wallMs,
          cpuMs: stormed.cpuMs,
          peakMb: peak(memory.slice(0, 1)),
          requests: stormed.requests,
        },
      ],
    },
    {
      subject: "nothing happens, for an hour",
      costs: [
        {
          wallMs: 3_600_000,
          cpuMs: idle.cpuMs / hours,
          peakMb: peak(memory.slice(-third)),
          requests: `${Math.round(count / hours)} (measured: ${idle.requests})`,
        },
      ],
    },
  ];
  return {
    title: "The controller",
    command: `npm run bench -- storm ${objects} --minutes ${minutes}`,
    rounds: 1,
    versions: ["Kubernetes v1.36.4"],
    notes: [
      `${objects} ConfigMaps of ${namespaces.length} deployments over ${replicas} replicas of \`qvs reconcile --watch\`. Another client changes each of them ${editsEach} times within a minute, and the API server is unavailable twice for ${awayMs / 1000} s. In the end every object is as declared, or the run fails.`,
      `${objects * editsEach} edits. Outcomes of the runs over deployments: ${textOf(stormed.looks)}. Every object was as declared ${(stormed.result / 1000).toFixed(1)} s after the last edit. Changes within a second are corrected together; an object that is corrected more than ten times in ten minutes waits 2, 4, 8 … 60 s.`,
      `Mean memory of a replica, in MB, after the storm and then every 30 s: ${memory.map(mean).join(", ")}.`,
      `CPU time and requests are those of all replicas together, memory is that of the largest. The hour is extrapolated from ${(idle.wallMs / 60_000).toFixed(1)} minutes; every deployment is checked at least every ten.`,
      "Flux publishes durations and peak memory of deploying, and nothing of idle cost: 100 Kustomizations of four objects 28 s and 32 MiB of its kustomize-controller, 500 of them 2 m 2 s and 122 MiB, 1,000 of them 4 m 16 s and 175 MiB (v2.6.0, 16 cores, [flux-benchmark](https://github.com/fluxcd/flux-benchmark/blob/main/RESULTS.md)). That is other work on another machine: a bound for memory, no ratio.",
    ],
    rows,
  };
}
