import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "vitest";
import { openCluster } from "../../src/io/kubernetes/cluster.ts";
import { connect } from "../../src/io/kubernetes/kubeconfig/connect.ts";
import { at, textAt } from "../../src/model/json.ts";
import type { KubeObject } from "../../src/model/object.ts";
import type { Cluster } from "../../src/ports/kubernetes.ts";
import { eventsIn } from "../support/cluster/audit-events.ts";
import { type Manifests, manifestsIn } from "../support/cluster/manifests-in.ts";
import { newNamedAccount } from "../support/cluster/service-account.ts";
import { startCluster } from "../support/cluster/start.ts";
import { clusterAt, type TestCluster } from "../support/cluster/use-cluster.ts";
import { type RunningQvs, startQvs } from "../support/qvs/run-qvs.ts";
import { restartsOf } from "./restarts.ts";

export interface Storm {
  readonly replicas: readonly string[];
  readonly deployments: number;
  /** The number of objects in each deployment. */
  readonly objects: number;
  /** The signals that end the API server. Objects are edited during each restart. */
  readonly restarts: readonly NodeJS.Signals[];
}

interface Replica {
  readonly name: string;
  readonly user: string;
  readonly running: RunningQvs;
  log(): readonly Readonly<Record<string, unknown>>[];
}

/**
 * Edits objects continuously under replicas of `qvs reconcile --watch`, while the API server ends
 * and starts again. Fails unless each object is correct at the end, no deployment was processed
 * twice at the same time, watches report changes again, and every replica still runs.
 */
export async function storm({ replicas: names, deployments, objects, restarts }: Storm) {
  const running = await startCluster({ nodes: 1 });
  const server = restartsOf(running);
  const replicas: Replica[] = [];
  const removals: (() => void)[] = [];
  const cluster = clusterAt(running);
  try {
    const kubeconfig = { path: running.kubeconfigFor("kubectl") };
    const editor = openCluster(await connect({ kubeconfig, env: {} }));
    removals.push(() => editor.close());
    const all = await deploy(cluster, deployments, objects, removals);
    const before = await uids(editor, all);
    for (const name of names) replicas.push(await startReplica(cluster, name, all));
    const killed: string[] = [];
    for (const [index, signal] of restarts.entries()) {
      const back = server.restart(signal);
      killed.push(new Date().toISOString());
      let isBack = false;
      back.then(
        () => (isBack = true),
        () => (isBack = true),
      );
      for (let round = 0; !isBack || round < 2; round += 1) {
        await editAll(editor, all, objects, `wrong ${index} ${round}`);
      }
      await back;
      await editAll(editor, all, objects, `wrong after ${index}`);
    }
    await until(() => allRight(editor, all, objects));
    // Only a watch can report this edit before the next resync.
    await editAll(editor, all, 1, "wrong once more");
    await until(() => allRight(editor, all, objects));
    expect(await uids(editor, all)).toEqual(before);
    for (const {
      running: { child },
      name,
    } of replicas)
      expect(child.exitCode, name).toBe(null);
    const log = await cluster.auditLogSoFar();
    for (const one of all)
      expect(writesWithoutLock(log, one.namespace, replicas, killed)).toEqual([]);
    for (const replica of replicas) await endWell(replica);
    return replicas.map((replica) => summaryOf(replica));
  } finally {
    for (const {
      running: { child, result },
    } of replicas) {
      child.kill("SIGKILL");
      await result;
    }
    for (const remove of removals) remove();
    await server.stop();
    await running.stop();
  }
}

const nameOf = (index: number) => `settings-${index}`;

async function deploy(
  cluster: TestCluster,
  deployments: number,
  objects: number,
  removals: (() => void)[],
): Promise<readonly Manifests[]> {
  const all: Manifests[] = [];
  for (let index = 0; index < deployments; index += 1) {
    const one = await manifestsIn(cluster, undefined, {
      onFinished: (work) => removals.push(work),
    });
    const maps = Array.from({ length: objects }, (_, at) => nameOf(at));
    const declared = maps.map(
      (name) => `{apiVersion: v1, kind: ConfigMap, metadata: {name: ${name}}, data: {x: right}}`,
    );
    one.declare({ app: declared.join("\n---\n") });
    expect(await one.qvs("deploy", "--quiet")).toMatchObject({ code: 0 });
    all.push(one);
  }
  return all;
}

async function startReplica(
  cluster: TestCluster,
  name: string,
  all: readonly Manifests[],
): Promise<Replica> {
  const { kubeconfig, user } = await newNamedAccount(cluster, name);
  await cluster.kubectl(
    ...["create", "clusterrolebinding", `storm-${name}`, "--clusterrole=cluster-admin"],
    `--user=${user}`,
  );
  const namespaces = all.map(({ namespace }) => namespace).join(",");
  const args = ["reconcile", "--watch", "--namespaces", namespaces, "--lease-duration", "5s"];
  const running = startQvs(all[0]?.directory ?? "", [...args, "--listen", "127.0.0.1:0"], {
    KUBECONFIG: kubeconfig,
    POD_NAME: name,
  });
  let text = "";
  running.child.stderr?.on("data", (chunk) => (text += chunk));
  await running.says("replicas changed");
  return { name, user, running, log: () => linesOf(text) };
}

function linesOf(text: string): readonly Readonly<Record<string, unknown>>[] {
  const whole = text.slice(0, text.lastIndexOf("\n") + 1).split("\n");
  return whole.filter((line) => line.startsWith("{")).map((line) => JSON.parse(line));
}

/** Edits each object once. Repeats edits that the API server doesn't accept yet. */
async function editAll(
  editor: Cluster,
  all: readonly Manifests[],
  objects: number,
  value: string,
): Promise<void> {
  const options = { fieldManager: "somebody", dryRun: false, force: true };
  for (const { namespace } of all) {
    for (let index = 0; index < objects; index += 1) {
      const metadata = { name: nameOf(index), namespace };
      const object = { apiVersion: "v1", kind: "ConfigMap", metadata, data: { x: value } };
      await until(async () => (await editor.apply(object, options)).ok);
    }
  }
}

async function until(isTrue: () => Promise<boolean>): Promise<void> {
  while (!(await isTrue())) await sleep(100);
}

async function objectsIn(editor: Cluster, namespace: string): Promise<readonly KubeObject[]> {
  const listed = await editor.list("v1", "ConfigMap", namespace);
  const items = listed.ok ? listed.value.items : [];
  return items.filter((object) => textAt(object, "metadata", "name")?.startsWith("settings-"));
}

async function allRight(editor: Cluster, all: readonly Manifests[], objects: number) {
  const lists = await Promise.all(all.map(({ namespace }) => objectsIn(editor, namespace)));
  return lists.every(
    (list) =>
      list.length === objects && list.every((object) => at(object, "data", "x") === "right"),
  );
}

async function uids(editor: Cluster, all: readonly Manifests[]) {
  const lists = await Promise.all(all.map(({ namespace }) => objectsIn(editor, namespace)));
  return lists.flat().map(({ metadata }) => String(metadata.uid));
}

/** The verbs of reads. The audit log has all requests of these users. */
const reading: ReadonlySet<string> = new Set(["get", "list", "watch"]);

/**
 * Returns writes of a replica after another one wrote the lock. A killed API server hasn't logged
 * its last answers, so the holder is unknown until the next write of the lock.
 */
function writesWithoutLock(
  log: string,
  namespace: string,
  replicas: readonly Replica[],
  killed: readonly string[],
): readonly string[] {
  const users = new Set(replicas.map(({ user }) => user));
  let holder: string | undefined;
  let before = "";
  const whole = log.slice(0, log.lastIndexOf("\n") + 1);
  return eventsIn(whole, namespace).flatMap(({ user, verb, object, answered }) => {
    if (!users.has(user) || reading.has(verb)) return [];
    if (killed.some((time) => before < time && time <= answered)) holder = undefined;
    before = answered;
    if (object === "leases/qvs-demo") {
      holder = user;
      return [];
    }
    const isWrong = object.startsWith("configmaps/") && holder !== undefined && holder !== user;
    return isWrong ? [`${user} wrote ${object} at ${answered}, ${holder} had the lock`] : [];
  });
}

async function endWell({ name, running, log }: Replica): Promise<void> {
  running.child.kill("SIGTERM");
  expect((await running.result).code, name).toBe(0);
  expect(log().at(-1), name).toMatchObject({ msg: "stopped" });
  // An API server that has just started denies all requests until it has read the roles.
  const errors = log().filter(
    ({ level, why }) => level === "error" && !/forbidden: /.test(String(why)),
  );
  expect(errors).toEqual([]);
  for (const [deployment, spans] of looksOf(log())) {
    const sorted = spans.toSorted(([a], [b]) => a - b);
    for (const [index, [begin]] of sorted.entries()) {
      // The log has times in whole milliseconds, and the recorded end is slightly later than the
      // end of the work.
      expect(begin, `${name} ${deployment}`).toBeGreaterThanOrEqual(
        (sorted[index - 1]?.[1] ?? 0) - 20,
      );
    }
  }
}

/** Returns the start and the end of each logged check in milliseconds, by deployment. */
function looksOf(lines: readonly Readonly<Record<string, unknown>>[]) {
  const looks = lines.filter((line) => "seconds" in line);
  const grouped = Map.groupBy(looks, ({ deployment }) => String(deployment));
  return [...grouped].map(([deployment, all]) => {
    const spans = all.map((line): readonly [number, number] => {
      const end = Date.parse(String(line["time"]));
      return [end - Number(line["seconds"]) * 1000, end];
    });
    return [deployment, spans] as const;
  });
}

function summaryOf({ name, log }: Replica): string {
  const told = Map.groupBy(log(), ({ msg }) => String(msg));
  return `${name}: ${[...told].map(([msg, lines]) => `${lines.length} × ${msg}`).join(", ")}`;
}
