import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { type AddressInfo, createConnection, type Socket } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Document, parseDocument } from "yaml";
import { type OpenCluster, openCluster } from "../../src/io/kubernetes/cluster.ts";
import { connect } from "../../src/io/kubernetes/kubeconfig/connect.ts";
import { acquireLock } from "../../src/io/kubernetes/lease/acquire-lock.ts";
import { defaultPace } from "../../src/io/kubernetes/transport/limits.ts";
import { textAt } from "../../src/model/json.ts";
import type { KubeObject } from "../../src/model/object.ts";
import { useCluster } from "../support/cluster/use-cluster.ts";
import { got } from "../support/plan/observe.ts";

const control = useCluster();
let cluster: OpenCluster;
let namespace: string;

beforeAll(async () => {
  cluster = openCluster(await connect({ kubeconfig: { path: control.kubeconfig }, env: {} }));
  namespace = await control.namespace("transport");
});
afterAll(() => cluster.close());

const ssa = { fieldManager: "qvs-shop-app", dryRun: false, force: false };

function configMap(name: string, data: Record<string, string> = {}, more = {}): KubeObject {
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { name, namespace, ...more }, data };
}

function at(name: string) {
  return { apiVersion: "v1", kind: "ConfigMap", namespace, name };
}

function uidOf(object: KubeObject | undefined): string {
  return textAt(object, "metadata", "uid") ?? "";
}

test("an object is applied with the field manager of qvs, exactly as sent", async () => {
  const applied = got(await cluster.apply(configMap("plain", { "a.b": "ü" }), ssa));
  expect(applied.data).toEqual({ "a.b": "ü" });
  expect(applied.metadata.managedFields).toMatchObject([
    { manager: "qvs-shop-app", operation: "Apply" },
  ]);
  expect(got(await cluster.read(at("plain")))).toEqual(applied);
});

test("a dry-run creates no object", async () => {
  got(await cluster.apply(configMap("trial"), { ...ssa, dryRun: true }));
  expect(got(await cluster.read(at("trial")))).toBeUndefined();
});

test("an unknown field is rejected by name", async () => {
  const answer = await cluster.apply({ ...configMap("odd"), datta: {} }, ssa);
  expect(answer).toMatchObject({
    failure: { reason: "invalid", message: expect.stringContaining(".datta: field not declared") },
  });
});

test("a field of another manager is a conflict with its cause, and force overrides it", async () => {
  await control.kubectl("-n", namespace, "create", "configmap", "owned", "--from-literal=k=theirs");
  const ours = configMap("owned", { k: "ours" });
  expect(await cluster.apply(ours, ssa)).toMatchObject({
    failure: {
      reason: "conflict",
      causes: [
        {
          reason: "FieldManagerConflict",
          field: ".data.k",
          message: expect.stringMatching(/kubectl-create/),
        },
      ],
    },
  });
  expect(got(await cluster.apply(ours, { ...ssa, force: true })).data).toEqual({ k: "ours" });
});

test("an object that is created twice already exists", async () => {
  const created = got(await cluster.create(configMap("once", { k: "v" })));
  expect(created.metadata.managedFields).toMatchObject([{ manager: "qvs", operation: "Update" }]);
  expect(await cluster.create(configMap("once"))).toMatchObject({
    failure: { reason: "already-exists", status: 409 },
  });
});

test("an outdated replacement is a conflict", async () => {
  const first = got(await cluster.create(configMap("race")));
  got(await cluster.replace({ ...first, data: { by: "one" } }));
  expect(await cluster.replace({ ...first, data: { by: "two" } })).toMatchObject({
    failure: { reason: "conflict" },
  });
});

test("only the object with the given uid is deleted", async () => {
  const object = got(await cluster.create(configMap("target")));
  expect(await cluster.delete(at("target"), "another-uid")).toMatchObject({
    failure: { reason: "conflict" },
  });
  expect(await cluster.delete(at("target"), uidOf(object))).toEqual({ ok: true, value: undefined });
  await expect.poll(async () => got(await cluster.read(at("target")))).toBeUndefined();
  expect((await cluster.delete(at("target"), uidOf(object))).ok).toBe(true);
});

test("a dry-run deletion deletes nothing, even without a finalizer", async () => {
  for (const name of ["tried", "tried-and-held"]) {
    const finalizers = name === "tried" ? [] : ["example.com/nobody"];
    const target = { ...configMap(name), metadata: { ...configMap(name).metadata, finalizers } };
    const before = got(await cluster.create(target));
    expect(await cluster.dryRunDelete(at(name), "another-uid")).toMatchObject({
      failure: { reason: "conflict" },
    });
    expect((await cluster.dryRunDelete(at(name), uidOf(before))).ok).toBe(true);
    expect(got(await cluster.read(at(name)))).toEqual(before);
  }
});

test("an update of an object that was recreated in the meantime is detected", async () => {
  got(await cluster.create(configMap("anew")));
  const stale = configMap("anew", { k: "v" }, { uid: "0d8b1e7c-0000-0000-0000-000000000000" });
  expect(await cluster.apply(stale, ssa)).toMatchObject({ ok: false });
  const absent = configMap("never", {}, { uid: "0d8b1e7c-0000-0000-0000-000000000000" });
  expect(await cluster.apply(absent, ssa)).toMatchObject({ failure: { reason: "conflict" } });
});

test("a missing namespace is reported by name", async () => {
  const lost = { ...configMap("lost"), metadata: { name: "lost", namespace: "no-such" } };
  expect(await cluster.apply(lost, ssa)).toMatchObject({
    failure: { reason: "not-found", message: 'namespaces "no-such" not found' },
  });
  expect(got(await cluster.list("v1", "ConfigMap", "no-such")).items).toEqual([]);
});

test("names with colons identify the right object", async () => {
  const name = `qvs:test:${namespace}`;
  const role = { apiVersion: "rbac.authorization.k8s.io/v1", kind: "ClusterRole" };
  const applied = got(await cluster.apply({ ...role, metadata: { name }, rules: [] }, ssa));
  const address = { ...role, namespace: "", name };
  expect(uidOf(got(await cluster.read(address)))).toBe(uidOf(applied));
  got(await cluster.delete(address, uidOf(applied)));
});

test("a list is complete over many pages", async () => {
  const names = Array.from({ length: 1_100 }, (_, index) => `page-${index}`);
  const labels = { set: "pages" };
  await Promise.all(
    names.map(async (name) => got(await cluster.create(configMap(name, {}, { labels })))),
  );
  const { items } = got(await cluster.list("v1", "ConfigMap", namespace, "set=pages"));
  expect(items.map((item) => item.metadata.name).sort()).toEqual(names.sort());
  expect(items[0]).toMatchObject({ apiVersion: "v1", kind: "ConfigMap" });
});

test("a watch reports existing objects and changes, also after it is reopened", async () => {
  const own = await control.namespace("watch");
  const place = { metadata: { name: "seen", namespace: own } };
  const short = openCluster(await connect({ kubeconfig: { path: control.kubeconfig }, env: {} }), {
    ...defaultPace,
    watchDuration: 1_000,
  });
  const abort = new AbortController();
  const told: string[] = [];
  const steps = [
    async () => got(await cluster.apply({ ...configMap("seen"), ...place }, ssa)),
    // The API server has ended the first watch by then.
    () => new Promise((resolve) => setTimeout(resolve, 1_500)),
    async () => got(await cluster.apply({ ...configMap("seen", { k: "v" }), ...place }, ssa)),
    async () => {
      const live = got(await cluster.read({ ...at("seen"), namespace: own }));
      got(await cluster.delete({ ...at("seen"), namespace: own }, uidOf(live)));
    },
  ];
  const acting = (async () => {
    for (const step of steps) await step();
  })();
  for await (const answer of short.watch("v1", "ConfigMap", own, abort.signal)) {
    const event = got(answer);
    if (event.object.metadata.name === "seen") told.push(event.type);
    if (event.type === "DELETED") abort.abort();
  }
  await acting;
  short.close();
  // Foreground deletion first sets a deletion timestamp on the object.
  expect(told.filter((type, index) => type !== told[index - 1])).toEqual([
    "ADDED",
    "MODIFIED",
    "DELETED",
  ]);
});

test("a custom resource is found after qvs forgets the missing kinds", async () => {
  const group = `g${namespace.replaceAll("-", "")}.example`;
  const version = `${group}/v1`;
  expect(await cluster.kind(version, "Widget")).toMatchObject({
    failure: { reason: "unknown-kind" },
  });
  const limit = { type: "integer", nullable: true };
  const schema = { openAPIV3Schema: { type: "object", properties: { limit } } };
  got(
    await cluster.apply(
      {
        apiVersion: "apiextensions.k8s.io/v1",
        kind: "CustomResourceDefinition",
        metadata: { name: `widgets.${group}` },
        spec: {
          group,
          scope: "Namespaced",
          names: { kind: "Widget", plural: "widgets", singular: "widget" },
          versions: [{ name: "v1", served: true, storage: true, schema }],
        },
      },
      ssa,
    ),
  );
  await control.kubectl("wait", "--for=condition=Established", `crd/widgets.${group}`);
  cluster.forgetKinds();
  const isKnown = async () => {
    cluster.forgetKinds();
    return (await cluster.kind(version, "Widget")).ok;
  };
  await expect.poll(isKnown).toBe(true);
  const published = async () => {
    const { properties } = got(await cluster.schema(version, "Widget")) ?? {};
    return properties;
  };
  await expect.poll(published, { timeout: 60_000 }).toMatchObject({ limit });
  expect(got(await cluster.schema(version, "Gadget"))).toBeUndefined();
  expect(got(await cluster.schema("nowhere.example/v1", "Widget"))).toBeUndefined();
  await control.kubectl("delete", "crd", `widgets.${group}`);
});

test("an unserved version is reported with the served one", async () => {
  expect(await cluster.kind("extensions/v1beta1", "Ingress")).toMatchObject({
    failure: { message: expect.stringContaining("it serves Ingress in networking.k8s.io/v1") },
  });
  expect(got(await cluster.preferredKind("autoscaling", "HorizontalPodAutoscaler")).version).toBe(
    "v2",
  );
});

test("a forbidden request is reported with the API server's message", async () => {
  const path = control.kubeconfigFor("viewer");
  const viewer = openCluster(await connect({ kubeconfig: { path }, env: {} }));
  expect(await viewer.list("v1", "Secret", namespace)).toMatchObject({
    failure: { reason: "forbidden", message: expect.stringContaining('User "viewer" cannot list') },
  });
  expect(await viewer.logTail(namespace, "no-such-pod", "main", 5)).toBeUndefined();
  viewer.close();
});

test("a lock excludes a second run until it is released", async () => {
  const request = (holder: string) => ({
    deployment: "shop",
    namespace,
    holder,
    clock: { now: () => new Date(), elapsed: () => performance.now(), sleep: defaultPace.sleep },
    onWaiting: () => undefined,
    wait: false,
    signal: AbortSignal.timeout(60_000),
  });
  const first = await acquireLock(cluster, request("run-1"));
  await expect(acquireLock(cluster, request("run-2"))).rejects.toThrow("locked by run-1");
  await first.release();
  const second = await acquireLock(cluster, request("run-2"));
  expect(second.lost.aborted).toBe(false);
  await second.release();
});

const inCluster = ["clusters", 0, "cluster"];

test.each<readonly [string, (kubeconfig: Document) => void, string]>([
  [
    "a certificate of another authority",
    (kubeconfig) => void kubeconfig.deleteIn([...inCluster, "certificate-authority-data"]),
    "its certificate isn't signed by the certificate authority in the kubeconfig",
  ],
  [
    "a certificate for another name",
    (kubeconfig) => kubeconfig.setIn([...inCluster, "tls-server-name"], "elsewhere"),
    "its certificate is for another name",
  ],
  [
    "a token that is not known",
    (kubeconfig) => kubeconfig.setIn(["users", 0, "user", "token"], "wrong"),
    "Unauthorized",
  ],
  [
    "nobody",
    (kubeconfig) => kubeconfig.setIn(["users", 0, "user"], {}),
    'User "system:anonymous" cannot get path',
  ],
])("%s is reported with a plain message", async (_, change, expected) => {
  const kubeconfig = parseDocument(await readFile(control.kubeconfig, "utf8"));
  change(kubeconfig);
  const content = kubeconfig.toString();
  const stranger = openCluster(await connect({ kubeconfig: { content }, env: {} }));
  const answer = await stranger.kind("v1", "ConfigMap");
  stranger.close();
  expect(answer.ok ? "let in" : answer.failure.message).toContain(expected);
});

test("qvs reaches an API server behind an HTTP proxy", async () => {
  const asked: string[] = [];
  const proxy = createServer().on("connect", (request, client: Socket) => {
    asked.push(request.url ?? "");
    const target = new URL(control.server);
    const server = createConnection(Number(target.port), target.hostname, () => {
      client.write("HTTP/1.1 200 OK\r\n\r\n");
      server.pipe(client).pipe(server);
    });
    server.on("error", () => client.destroy());
    client.on("error", () => server.destroy());
  });
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  const { port } = proxy.address() as AddressInfo;
  const kubeconfig = { path: control.kubeconfig };
  const env = { HTTPS_PROXY: `http://127.0.0.1:${port}` };
  const behind = openCluster(await connect({ kubeconfig, env }));
  got(await behind.kind("v1", "ConfigMap"));
  behind.close();
  proxy.close();
  expect(asked).toEqual([new URL(control.server).host]);
});

test("a server is recognized only by its name in the kubeconfig", async () => {
  const named = parseDocument(await readFile(control.kubeconfig, "utf8"));
  named.setIn([...inCluster, "tls-server-name"], "kubernetes.default.svc");
  const blind = parseDocument(await readFile(control.kubeconfig, "utf8"));
  blind.deleteIn([...inCluster, "certificate-authority-data"]);
  blind.setIn([...inCluster, "insecure-skip-tls-verify"], true);
  for (const kubeconfig of [named, blind]) {
    const other = openCluster(
      await connect({ kubeconfig: { content: kubeconfig.toString() }, env: {} }),
    );
    got(await other.kind("v1", "ConfigMap"));
    other.close();
  }
});
