import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { parse, stringify } from "yaml";
import { type OpenCluster, openCluster } from "../../../src/io/kubernetes/cluster.ts";
import { connect } from "../../../src/io/kubernetes/kubeconfig/connect.ts";
import { at, textAt } from "../../../src/model/json.ts";
import { eventsIn } from "../../support/cluster/audit-events.ts";
import { type Manifests, manifestsIn } from "../../support/cluster/manifests-in.ts";
import { useCluster } from "../../support/cluster/use-cluster.ts";
import { type RunningQvs, runQvs, startQvs } from "../../support/qvs/run-qvs.ts";
import { type ApiProxy, startApiProxy } from "../../support/servers/api-proxy.ts";

/** Tests two replicas of the real program that share four deployments on a real control plane. */
const cluster = useCluster();

const names = Array.from({ length: 13 }, (_, index) => `settings-${index}`);
const declared = names
  .map((name) => `{apiVersion: v1, kind: ConfigMap, metadata: {name: ${name}}, data: {x: right}}`)
  .join("\n---\n");
const edits = 5;

interface Replica {
  readonly running: RunningQvs;
  readonly proxy: ApiProxy;
  /** Returns the lines of its log so far. */
  log(): readonly Readonly<Record<string, unknown>>[];
  /** Returns the sum of all samples with this name and with this text in their labels. */
  metric(name: string, label?: string): Promise<number>;
}

let deployments: readonly Manifests[] = [];
let replicas: readonly Replica[] = [];
let editor: OpenCluster;
const removals: (() => void)[] = [];

beforeAll(async () => {
  editor = openCluster(
    await connect({ kubeconfig: { path: cluster.kubeconfigFor("kubectl") }, env: {} }),
  );
  const made: Manifests[] = [];
  for (let index = 0; index < 4; index += 1) made.push(await deployed());
  deployments = made;
  replicas = await Promise.all(["one", "two"].map((name) => start(name)));
  await until(
    async () => (await sum("qvs_members")) === 4 && (await sum("qvs_deployments_owned")) === 4,
  );
});

async function deployed(): Promise<Manifests> {
  const one = await manifestsIn(cluster, undefined, { onFinished: (work) => removals.push(work) });
  one.declare({ app: declared });
  expect(await one.qvs("deploy", "--quiet")).toMatchObject({ code: 0 });
  return one;
}

afterAll(async () => {
  for (const { running, proxy } of replicas) {
    running.child.kill("SIGKILL");
    await running.result;
    await proxy.close();
  }
  editor.close();
  for (const remove of removals) remove();
});

/** Starts a replica as `admin` or as the owner of a token. With `only`, it is in its own group. */
async function start(
  name: string,
  token?: string,
  only?: string,
  more: readonly string[] = [],
): Promise<Replica> {
  const directory = mkdtempSync(join(tmpdir(), "qvs-replica-"));
  const proxy = await startApiProxy(kubeconfigWith(directory, token), directory, name);
  const namespaces = only ?? deployments.map(({ namespace }) => namespace).join(",");
  const meant = more.length > 0 ? more : ["--namespaces", namespaces];
  const where = [...meant, "--lease-duration", "3s", "--listen", "127.0.0.1:0"];
  const group = only === undefined ? [] : ["--group", "alone"];
  const running = startQvs(directory, ["reconcile", "--watch", ...where, ...group], {
    KUBECONFIG: proxy.kubeconfig,
    POD_NAME: name,
  });
  let text = "";
  running.child.stderr?.on("data", (chunk) => (text += chunk));
  const log = () => linesOf(text);
  await running.says('"listening"');
  const address = String(log().find(({ msg }) => msg === "listening")?.["address"]);
  return {
    running,
    proxy,
    log,
    async metric(metric, label = "") {
      const answer = await fetch(`http://${address}/metrics`);
      const samples = (await answer.text()).split("\n").filter((line) => !line.startsWith("#"));
      const matching = samples.filter(
        (line) => /^[a-z_]+/.exec(line)?.[0] === metric && line.includes(label),
      );
      return matching.reduce((total, line) => total + Number(line.split(" ").at(-1)), 0);
    },
  };
}

function kubeconfigWith(directory: string, token: string | undefined): string {
  const admin = cluster.kubeconfigFor("admin");
  if (token === undefined) return admin;
  const config = parse(readFileSync(admin, "utf8"));
  config.users[0].user = { token };
  const path = join(directory, "token.yaml");
  writeFileSync(path, stringify(config), { mode: 0o600 });
  return path;
}

function linesOf(text: string): readonly Readonly<Record<string, unknown>>[] {
  const whole = text.slice(0, text.lastIndexOf("\n") + 1).split("\n");
  return whole.filter((line) => line.startsWith("{")).map((line) => JSON.parse(line));
}

async function sum(metric: string, label?: string): Promise<number> {
  const all = await Promise.all(replicas.map((replica) => replica.metric(metric, label)));
  return all.reduce((total, one) => total + one, 0);
}

/** Returns the number of checks of a deployment, with this outcome or with any. */
function checks(namespace: string, outcome = ""): Promise<number> {
  const labels = `namespace="${namespace}",deployment="demo",outcome="${outcome}`;
  return sum("qvs_reconcile_total", labels);
}

async function until(isTrue: () => Promise<boolean>): Promise<void> {
  while (!(await isTrue())) await sleep(100);
}

async function edit(namespace: string, name: string, value: string): Promise<void> {
  const metadata = { name, namespace };
  const object = { apiVersion: "v1", kind: "ConfigMap", metadata, data: { x: value } };
  const options = { fieldManager: "somebody", dryRun: false, force: true };
  const answer = await editor.apply(object, options);
  expect(answer).toMatchObject({ ok: true });
}

async function isRight({ namespace }: Manifests): Promise<boolean> {
  const listed = await editor.list("v1", "ConfigMap", namespace);
  const objects = listed.ok ? listed.value.items : [];
  const ours = objects.filter((object) => names.includes(textAt(object, "metadata", "name") ?? ""));
  return (
    ours.length === names.length && ours.every((object) => at(object, "data", "x") === "right")
  );
}

async function allRight(): Promise<boolean> {
  return (await Promise.all(deployments.map(isRight))).every(Boolean);
}

/**
 * Returns the start and the end of each logged check in milliseconds, by replica and deployment.
 * The lock separates corrections of different replicas, and one replica can check while another
 * corrects.
 */
function corrections(): ReadonlyMap<string, readonly (readonly [number, number])[]> {
  const lines = replicas.flatMap(({ log }, index) =>
    log()
      .filter((line) => "seconds" in line)
      .map(
        (line): Record<string, unknown> => ({
          ...line,
          deployment: `${index} ${line["deployment"]}`,
        }),
      ),
  );
  const spans = lines.map((line) => {
    const end = Date.parse(String(line["time"]));
    return {
      deployment: String(line["deployment"]),
      span: [end - Number(line["seconds"]) * 1000, end] as const,
    };
  });
  const grouped = Map.groupBy(spans, ({ deployment }) => deployment);
  return new Map([...grouped].map(([name, all]) => [name, all.map(({ span }) => span)]));
}

test("52 objects that are edited five times each are corrected, with limited requests and no concurrent checks", async () => {
  const checksBefore = await sum("qvs_reconcile_total");
  const askedBefore = replicas.reduce((total, { proxy }) => total + proxy.requests.length, 0);
  for (let round = 1; round <= edits; round += 1) {
    for (const { namespace } of deployments) {
      await Promise.all(names.map((name) => edit(namespace, name, `wrong ${round}`)));
    }
  }
  await until(allRight);
  for (const { namespace } of deployments)
    await until(async () => (await checks(namespace, "corrected")) > 0);
  const all = (await sum("qvs_reconcile_total")) - checksBefore;
  const asked =
    replicas.reduce((total, { proxy }) => total + proxy.requests.length, 0) - askedBefore;
  expect(all).toBeLessThanOrEqual(4 * edits * 2);
  // There would be more requests if each check read, wrote and dry-ran every object.
  expect(asked).toBeLessThan(names.length * 4 * edits * 4);
  for (const [, spans] of corrections()) {
    const sorted = spans.toSorted(([a], [b]) => a - b);
    for (const [index, [begin]] of sorted.entries()) {
      // The log has times in whole milliseconds, and the recorded end is slightly later than the
      // end of the work.
      expect(begin).toBeGreaterThanOrEqual((sorted[index - 1]?.[1] ?? 0) - 20);
    }
  }
});

/** Changes one object of a deployment, and resolves when it is corrected. */
async function correctedOnce(namespace: string): Promise<void> {
  const corrected = await checks(namespace, "corrected");
  await edit(namespace, "settings-0", "wrong");
  await until(async () => (await checks(namespace, "corrected")) > corrected);
}

/**
 * Returns the number of checks that weren't caused by a change: a replica got a deployment, or a
 * watch started again.
 */
function otherReasons(): number {
  const reasons = /^(deployment found|replicas changed|stepped down|a watch was interrupted)/;
  const lines = replicas.flatMap(({ log }) => log());
  return lines.filter(({ msg }) => reasons.test(String(msg))).length;
}

test("its own writes cause one check for each reported change, and no further checks", async () => {
  const [first = "", ...others] = deployments.map(({ namespace }) => namespace);
  // A watch reports changes in order. When this change is corrected, all earlier ones have been
  // reported.
  for (const namespace of others) await correctedOnce(namespace);
  const reasons = otherReasons();
  const before = await Promise.all(others.map((namespace) => checks(namespace)));
  for (let round = 0; round < 3; round += 1) await correctedOnce(first);
  expect(await isRight(deployments[0] as Manifests)).toBe(true);
  const after = await Promise.all(others.map((namespace) => checks(namespace)));
  // The edit and its correction can be reported late. An endless loop would check once a second.
  const most = 2 + otherReasons() - reasons;
  for (const [index, count] of after.entries()) {
    expect(count - (before[index] ?? 0)).toBeLessThanOrEqual(most);
  }
});

test("drift during an outage of the API server is corrected afterwards", async () => {
  for (const { proxy } of replicas) {
    proxy.setRule(() => ({ cut: "before" }));
    proxy.disconnect();
  }
  for (const { namespace } of deployments) await edit(namespace, "settings-3", "while it was away");
  for (const { proxy } of replicas) proxy.setRule(() => undefined);
  await until(allRight);
});

const noLeases = JSON.stringify({
  ...{ apiVersion: "coordination.k8s.io/v1", kind: "LeaseList" },
  ...{ metadata: { resourceVersion: "1" }, items: [] },
});

test("replicas that don't see each other check the same deployments, but never correct one at once", async () => {
  const owned = await Promise.all(replicas.map((one) => one.metric("qvs_deployments_owned")));
  const [first, second] = replicas as readonly [Replica, Replica];
  // The replica with more deployments keeps them, so as many as possible are checked by both.
  const [blind, other] = (owned[0] ?? 0) < (owned[1] ?? 0) ? [first, second] : [second, first];
  const answer = { status: 200, body: noLeases };
  blind.proxy.setRule(({ text }) => (text === "list leases" ? { answer } : undefined));
  await until(async () => (await blind.metric("qvs_deployments_owned")) === 4);
  expect(await other.metric("qvs_members")).toBe(2);
  const shared = await other.metric("qvs_deployments_owned");
  expect(shared).toBeGreaterThan(1);

  const before = await Promise.all(replicas.map((one) => one.metric("qvs_reconcile_total")));
  for (let round = 0; round < 3; round += 1) {
    for (const { namespace } of deployments) {
      await Promise.all(names.map((name) => edit(namespace, name, `seen by two ${round}`)));
    }
    await until(allRight);
  }
  for (const [index, one] of replicas.entries()) {
    await until(async () => (await one.metric("qvs_reconcile_total")) > (before[index] ?? 0) + 2);
  }
  const log = await cluster.auditLogSoFar();
  for (const { namespace } of deployments) expect(writesWithoutLock(log, namespace)).toEqual([]);

  blind.proxy.setRule(() => undefined);
  await until(async () => (await sum("qvs_deployments_owned")) === 4);
});

/** Returns writes of a replica after another one wrote the lock. */
function writesWithoutLock(log: string, namespace: string): readonly string[] {
  const events = eventsIn(log, namespace).filter(({ userAgent }) => userAgent.startsWith("qvs/"));
  const holders = events.map(({ object, userAgent }) =>
    object === "leases/qvs-demo" ? userAgent : undefined,
  );
  expect(holders.filter(Boolean).length).toBeGreaterThan(0);
  return events.flatMap(({ object, userAgent, answered }, index) => {
    if (object.startsWith("leases/")) return [];
    const holder = holders.slice(0, index).findLast(Boolean);
    return holder === userAgent
      ? []
      : [`${userAgent} wrote ${object} at ${answered}, ${holder} had the lock`];
  });
}

test("the roles that --print-install prints are sufficient for corrections, and its manifests can be applied", async () => {
  const place = await deployed();
  const { namespace } = place;
  const flags = ["reconcile", "--print-install", "--namespaces", namespace];
  const env = { KUBECONFIG: cluster.kubeconfigFor("admin") };
  const printed = await runQvs(place.directory, flags, env);
  expect(printed).toMatchObject({ code: 0, stderr: "" });
  const documents = printed.stdout
    .split(/^---$/m)
    .filter((text) => !text.includes("kind: PodMonitor"));
  await cluster.apply(namespace, documents.join("---\n"));
  await cluster.kubectl("-n", namespace, "scale", "deployment/qvs-reconcile", "--replicas=0");
  const token = await cluster.kubectl("-n", namespace, "create", "token", "qvs-reconcile");
  const installed = await start("installed", token.trim(), namespace);
  await edit(namespace, "settings-7", "by the roles alone");
  await until(() => isRight(place));
  installed.running.child.kill("SIGTERM");
  expect(await installed.running.result).toMatchObject({ code: 0 });
  // On a busy machine, a Lease can be renewed late, whatever the roles are.
  const complaints = installed
    .log()
    .filter(({ level, msg }) => level !== "info" && !String(msg).startsWith("stepped down"));
  expect(complaints).toEqual([]);
  await installed.proxy.close();

  // With --all-namespaces, it is allowed to watch only this namespace, and starts when it can
  // detect that.
  const flagsForAll = ["--all-namespaces", "--group-namespace", namespace];
  const lost = await startQvs(
    place.directory,
    ["reconcile", "--watch", ...flagsForAll, "--listen", "127.0.0.1:0"],
    {
      KUBECONFIG: kubeconfigWith(place.directory, token.trim()),
    },
  ).result;
  expect(lost.code).toBe(1);
  expect(lost.stderr).toContain(
    "This identity isn't allowed to list and watch secrets in all namespaces, and it isn't allowed to list namespaces",
  );
  const role = `list-${namespace}`;
  await cluster.kubectl("create", "clusterrole", role, "--verb=list", "--resource=namespaces");
  const account = `--serviceaccount=${namespace}:qvs-reconcile`;
  await cluster.kubectl("create", "clusterrolebinding", role, `--clusterrole=${role}`, account);
  const everywhere = await start("everywhere", token.trim(), namespace, flagsForAll);
  await edit(namespace, "settings-8", "by one namespace of all");
  await until(() => isRight(place));
  expect(everywhere.log()).toContainEqual(
    expect.objectContaining({ level: "warn", watched: 1, namespaces: [namespace] }),
  );
  everywhere.running.child.kill("SIGTERM");
  expect(await everywhere.running.result).toMatchObject({ code: 0 });
  await everywhere.proxy.close();
});

test("a replica continues when the other one is killed", async () => {
  const [one, two] = replicas as readonly [Replica, Replica];
  const dies = (await one.metric("qvs_deployments_owned")) > 0 ? one : two;
  const lives = dies === one ? two : one;
  dies.running.child.kill("SIGKILL");
  for (const { namespace } of deployments) await edit(namespace, "settings-5", "after the death");
  await until(allRight);
  expect(await lives.metric("qvs_deployments_owned")).toBe(4);
  expect(await lives.metric("qvs_members")).toBe(1);

  lives.running.child.kill("SIGTERM");
  expect((await lives.running.result).code).toBe(0);
  expect(lives.log().at(-1)).toMatchObject({ msg: "stopped" });
  const namespace = deployments[0]?.namespace ?? "";
  const leases = await cluster.kubectl("-n", namespace, "get", "leases", "-o", "name");
  expect(leases).not.toContain(`qvs-reconcile-${lives === one ? "one" : "two"}`);
});
