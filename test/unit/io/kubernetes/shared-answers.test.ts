import { expect, test } from "vitest";
import { openCluster, type SharedConnection } from "../../../../src/io/kubernetes/cluster.ts";
import { createSharedAnswers } from "../../../../src/io/kubernetes/shared-answers.ts";
import { openSockets } from "../../../../src/io/kubernetes/transport/exchange.ts";
import { defaultBounds } from "../../../../src/io/kubernetes/transport/limits.ts";
import type { KubeObject } from "../../../../src/model/object.ts";
import { type Cluster, sharedReads } from "../../../../src/ports/kubernetes.ts";
import {
  connectionTo,
  quickPace,
  type Scripted,
  scriptedApi,
  status,
} from "../../../support/servers/scripted-api.ts";

const empty: Scripted = { json: { kind: "List", metadata: { resourceVersion: "1" }, items: [] } };

/** Returns the clusters of deployments of one run, and a clock to set. */
async function clustersOfRun(...script: readonly Scripted[]) {
  const api = await scriptedApi(script);
  const connection = connectionTo(api);
  const time = { now: 0 };
  const shared: SharedConnection = {
    sockets: openSockets(connection, 1_000),
    answers: createSharedAnswers(() => time.now),
  };
  const open = (): Cluster => openCluster(connection, quickPace(), defaultBounds, shared);
  return { api, time, open };
}

function listPods(cluster: Cluster) {
  return sharedReads(cluster).list("v1", "Pod", undefined);
}

const object = (apiVersion: string, kind: string): KubeObject => ({
  ...{ apiVersion, kind, metadata: { name: "a", namespace: "shop" } },
});

async function apply(cluster: Cluster, applied: KubeObject, dryRun: boolean): Promise<void> {
  await cluster.apply(applied, { fieldManager: "qvs", dryRun, force: false });
}

const pods = "GET /api/v1/pods?limit=500";

test("deployments of one run list the Pods of the cluster once", async () => {
  const { api, open } = await clustersOfRun(empty);
  const lists = await Promise.all([listPods(open()), listPods(open())]);
  expect(lists.map(({ ok }) => ok)).toEqual([true, true]);
  expect(api.lines()).toEqual([pods]);
});

test("a shared answer is asked again after ten seconds", async () => {
  const { api, time, open } = await clustersOfRun(empty);
  await listPods(open());
  time.now = 10_000;
  await listPods(open());
  expect(api.lines()).toEqual([pods]);
  time.now = 10_001;
  await listPods(open());
  expect(api.lines()).toEqual([pods, pods]);
});

test("a failure isn't shared", async () => {
  const { api, open } = await clustersOfRun(status(403, "Forbidden", "no"), empty);
  expect((await listPods(open())).ok).toBe(false);
  expect((await listPods(open())).ok).toBe(true);
  expect(api.lines()).toEqual([pods, pods]);
});

test("a write of any deployment ends shared answers, and a dry run doesn't", async () => {
  const { api, open } = await clustersOfRun(empty);
  await listPods(open());
  await apply(open(), object("v1", "ConfigMap"), true);
  await listPods(open());
  expect(api.lines().filter((line) => line === pods)).toEqual([pods]);
  await apply(open(), object("v1", "ConfigMap"), false);
  await listPods(open());
  expect(api.lines().filter((line) => line === pods)).toEqual([pods, pods]);
});

test("the other reads of a cluster always ask the API server", async () => {
  const { api, open } = await clustersOfRun(empty);
  for (const cluster of [open(), open()]) await cluster.list("v1", "Pod", undefined);
  expect(api.lines()).toEqual([pods, pods]);
});

test("deployments of one run discover kinds once, and again after one created definitions", async () => {
  const { api, open } = await clustersOfRun(empty);
  await open().kind("v1", "Pod");
  await open().kind("v1", "ConfigMap");
  expect(api.discovered.map(({ line }) => line)).toEqual(["GET /api"]);
  const creating = open();
  creating.forgetKinds();
  await open().kind("v1", "ConfigMap");
  expect(api.discovered.map(({ line }) => line)).toEqual(["GET /api", "GET /api"]);
});

test("a kind that another deployment of the run didn't find is discovered again", async () => {
  const { api, open } = await clustersOfRun(status(404, "NotFound", "no such version"));
  const find = async () => (await open().preferredKind("example.com", "Widget")).ok;
  expect([await find(), await find()]).toEqual([false, false]);
  expect(api.discovered.map(({ line }) => line)).toEqual(["GET /apis", "GET /apis"]);
});

test("a review is asked again after a write to a role", async () => {
  const allowed: Scripted = { json: { ...object("v1", "Review"), status: { allowed: true } } };
  const { api, open } = await clustersOfRun(allowed);
  const review = object("autoscaling/v1", "HorizontalPodAutoscaler");
  const ask = () => sharedReads(open()).review(review);
  const count = () => api.lines().filter((line) => line.startsWith("POST")).length;
  await ask();
  await apply(open(), object("v1", "ConfigMap"), false);
  await ask();
  expect(count()).toBe(1);
  await apply(open(), object("rbac.authorization.k8s.io/v1", "ClusterRole"), false);
  await ask();
  expect(count()).toBe(2);
});

test("deployments of one run ask for an absent API once", async () => {
  const { api, open } = await clustersOfRun(empty);
  for (const cluster of [open(), open()])
    expect(await cluster.servesApi("a.example/v1")).toEqual({ ok: true, value: false });
  expect(api.lines()).toEqual(["GET /apis/a.example/v1"]);
});
