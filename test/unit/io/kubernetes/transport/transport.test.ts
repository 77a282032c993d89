import { expect, test } from "vitest";
import { openCluster } from "../../../../../src/io/kubernetes/cluster.ts";
import { isWrite } from "../../../../../src/io/kubernetes/transport/transport.ts";
import type { KubeObject } from "../../../../../src/model/object.ts";
import {
  connectionTo,
  quickPace,
  type Scripted,
  scriptedApi,
} from "../../../../support/servers/scripted-api.ts";

const review = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews";
const roles = "/apis/rbac.authorization.k8s.io/v1/namespaces/shop/roles";

test.each([
  ["reads", { method: "GET", path: roles }, false],
  [
    "asks for the result of a write",
    { method: "PATCH", path: roles, query: { dryRun: "All" } },
    false,
  ],
  ["asks for permissions", { method: "POST", path: review }, false],
  ["grants permissions", { method: "POST", path: roles }, true],
  ["deletes", { method: "DELETE", path: roles }, true],
] as const)("a call that %s", (_, call, expected) => {
  expect(isWrite(call)).toBe(expected);
});

test("the cluster remembers a write to objects", async () => {
  const object = {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "a", namespace: "shop" },
  };
  const api = await scriptedApi([{ json: object }]);
  const cluster = openCluster(connectionTo(api));
  const options = { fieldManager: "qvs", force: false };
  await cluster.read({ apiVersion: "v1", kind: "ConfigMap", namespace: "shop", name: "a" });
  await cluster.apply(object, { ...options, dryRun: true });
  expect(cluster.hasWritten()).toBe(false);
  await cluster.guarded(() => "the lock is lost").apply(object, { ...options, dryRun: false });
  expect(cluster.hasWritten()).toBe(false);
  await cluster.apply(object, { ...options, dryRun: false });
  expect(cluster.hasWritten()).toBe(true);
  cluster.close();
});

const map = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a", namespace: "shop" } };
const lease = {
  apiVersion: "coordination.k8s.io/v1",
  kind: "Lease",
  metadata: { name: "qvs-a", namespace: "shop" },
};
const refusal = { apiVersion: "v1", kind: "Status", status: "Failure", reason: "Forbidden" };

test.each<[string, KubeObject, boolean, Scripted, boolean]>([
  ["a dry-run", map, true, { json: map }, false],
  ["a write", map, false, { json: map }, true],
  ["a rejected write", map, false, { status: 403, json: refusal }, false],
  ["a write whose outcome is unknown", map, false, { status: 500, json: refusal }, true],
  ["a lock", lease, false, { json: lease }, false],
])("the cluster remembers a possible change: %s", async (_, object, dryRun, answer, changed) => {
  const api = await scriptedApi([answer]);
  const cluster = openCluster(connectionTo(api), quickPace());
  await cluster.apply(object, { fieldManager: "qvs", force: false, dryRun });
  expect(cluster.hasChanged()).toBe(changed);
  cluster.close();
});
