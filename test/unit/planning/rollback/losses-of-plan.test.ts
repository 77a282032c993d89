import { expect, test } from "vitest";
import type { KubeObject } from "../../../../src/model/object.ts";
import type { Plan } from "../../../../src/model/plan/plan.ts";
import { lossesOfPlan } from "../../../../src/planning/rollback/losses-of-plan.ts";
import {
  changeBetween,
  deletionOf,
  keptBecause,
  objectFrom,
  ownedBy,
  planWith,
} from "../../../support/plan/change-between.ts";

const secret = (data: string) =>
  objectFrom(
    `{apiVersion: v1, kind: Secret, metadata: {namespace: shop, name: token}, data: ${data}}`,
  );
const config = (data: string) =>
  objectFrom(
    `{apiVersion: v1, kind: ConfigMap, metadata: {namespace: shop, name: a}, data: ${data}}`,
  );
const holder = objectFrom(
  "{apiVersion: example.com/v1, kind: Database, metadata: {namespace: shop, name: db}}",
);
const set = (replicas: number, policy: string) =>
  objectFrom(`
apiVersion: apps/v1
kind: StatefulSet
metadata: {namespace: shop, name: db}
spec:
  replicas: ${replicas}
  persistentVolumeClaimRetentionPolicy: {${policy}}
  volumeClaimTemplates: [{metadata: {name: data}}]`);
const service = (spec: string, status = "{}") =>
  objectFrom(
    `{apiVersion: v1, kind: Service, metadata: {namespace: shop, name: web}, spec: {${spec}}, status: ${status}}`,
  );

const claimId = (name: string) => ({
  ...{ group: "", kind: "PersistentVolumeClaim", namespace: "shop", name },
});
const along = (...names: readonly string[]) => ({
  objects: names.map((name) => ({ key: `claim ${name}`, id: claimId(name) })),
});

function undoOf(...desired: readonly ReturnType<typeof secret>[]): Plan {
  return planWith({ changes: desired.map((each) => changeBetween(undefined, each)) });
}

const losses = (...given: Parameters<typeof lossesOfPlan>) =>
  lossesOfPlan(...given).map(({ what }) => what);

test("a deleted Secret loses the keys that its manifest doesn't declare, without their names", () => {
  const plan = planWith({ deletions: [deletionOf(secret("{password: a, generated: b}"))] });
  expect(losses(plan, undoOf(secret("{password: a}")))).toEqual([
    "Secret shop/token is created again without 1 key",
  ]);
  expect(JSON.stringify(lossesOfPlan(plan, undoOf(secret("{}"))))).not.toContain("generated");
});

test("an object that the current release only kept is lost, except a pruned revision", () => {
  const live = secret("{password: a}");
  const plan = planWith({ deletions: [deletionOf(live)] });
  const kept = new Set(["core:Secret::shop/token"]);
  expect(losses(plan, undoOf(), { kept })).toEqual(["Secret shop/token is deleted"]);
  expect(losses(plan, undoOf(live), { kept })).toEqual([]);
  expect(losses(plan, undoOf())).toEqual([]);
  const prunedRevision = { key: "token", revision: "1" };
  const pruning = planWith({ deletions: [deletionOf(live, { prunedRevision })] });
  expect(losses(pruning, undoOf(), { kept })).toEqual([]);
});

test("declared keys are no loss, and neither is a rollback that can't be planned", () => {
  const plan = planWith({ deletions: [deletionOf(secret("{password: a}"))] });
  const written = { ...secret("{}"), stringData: { password: "a" } };
  expect(losses(plan, undoOf(written))).toEqual([]);
  expect(losses(plan, undefined)).toEqual([]);
});

test("objects that Kubernetes deletes with others are lost, except restored ones", () => {
  const [other, restored] = [config("{}"), secret("{}")];
  const objects = [other, restored].map((each) => {
    const { key, id } = changeBetween(undefined, each);
    return { key, id };
  });
  const plan = planWith({ deletions: [deletionOf(holder, { alsoDeleted: { objects } })] });
  expect(lossesOfPlan(plan, undoOf(holder, restored)).map(({ why }) => why)).toEqual([
    "A rollback doesn't create them again: ConfigMap shop/a",
  ]);
});

test("claims of a deleted custom resource are lost, with their own names", () => {
  const plan = planWith({ deletions: [deletionOf(holder, { alsoDeleted: along("data-db-0") })] });
  expect(losses(plan, undoOf(holder))).toEqual([
    "PersistentVolumeClaim shop/data-db-0 is deleted with Database shop/db",
  ]);
});

test("a claim with two owners is lost once, even if the rollback declares it", () => {
  const owners = ["a", "b"].map((name) =>
    objectFrom(`{apiVersion: example.com/v1, kind: Database, metadata: {name: ${name}}}`),
  );
  const objects = [{ key: "core:PersistentVolumeClaim::shop/data", id: claimId("data") }];
  const plan = planWith({
    deletions: owners.map((owner) => deletionOf(owner, { alsoDeleted: { objects } })),
  });
  const claim = objectFrom(
    "{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {namespace: shop, name: data}}",
  );
  expect(losses(plan, undoOf(...owners, claim))).toHaveLength(1);
  const reported = new Set(["core:PersistentVolumeClaim::shop/data"]);
  expect(losses(plan, undoOf(...owners, claim), { reported })).toEqual([]);
});

test("claims of a deleted StatefulSet are reported once", () => {
  const live = set(1, "whenDeleted: Delete");
  const deletion = deletionOf(live, { alsoDeleted: along("data-db-0", "other") });
  const plan = planWith({ deletions: [deletion] });
  expect(losses(plan, undoOf(live))).toHaveLength(2);
  expect(losses(plan, undoOf(live), { reported: new Set([deletion.key]) })).toEqual([
    "PersistentVolumeClaim shop/other is deleted with StatefulSet shop/db",
  ]);
});

test("a StatefulSet with fewer Pods loses the claims that its policy deletes", () => {
  const scaled = (policy: string) =>
    planWith({ changes: [changeBetween(set(3, policy), set(1, policy))] });
  expect(losses(scaled("whenScaled: Delete"), undefined)).toEqual([
    "PersistentVolumeClaim shop/data-db-1 is deleted, because StatefulSet shop/db gets fewer Pods",
    "PersistentVolumeClaim shop/data-db-2 is deleted, because StatefulSet shop/db gets fewer Pods",
  ]);
  expect(losses(scaled("whenScaled: Retain"), undefined)).toEqual([]);
});

test("a value of another manager that the plan overwrites is lost", () => {
  const live = ownedBy(config('{size: "5"}'), "kubectl-patch", '{"f:data":{"f:size":{}}}');
  const plan = planWith({ changes: [changeBetween(live, config('{size: "3"}'))] });
  const undone = (data: string) =>
    planWith({ changes: [changeBetween(config('{size: "3"}'), config(data))] });
  expect(losses(plan, undone("{}"))).toEqual([
    'ConfigMap shop/a doesn\'t get back 1 value of "kubectl-patch"',
  ]);
  expect(losses(plan, undone('{size: "5"}')), "declared").toEqual([]);
  const kept = planWith({ changes: [changeBetween(live, config('{more: "3"}'))] });
  expect(losses(kept, undone("{}")), "kept").toEqual([]);
});

test("metadata and status of controllers are no loss", () => {
  const fields = '{"f:metadata":{"f:annotations":{"f:a":{}}},"f:status":{"f:phase":{}}}';
  const live = ownedBy({ ...config("{}"), status: { phase: "Ready" } }, "controller", fields);
  const plan = planWith({
    changes: [changeBetween(live, config('{a: "1"}'), { predicted: config("{}") })],
  });
  expect(losses(plan, undoOf(config("{}")))).toEqual([]);
});

test("an adopted object that the rollback keeps is lost with its former values", () => {
  const [live, desired] = [config('{a: "1"}'), config('{a: "2"}')];
  const plan = planWith({ changes: [changeBetween(live, desired)] });
  const undo = planWith({ kept: [keptBecause(desired, "met before")] });
  expect(losses(plan, undo)).toEqual([
    "ConfigMap shop/a existed before this deployment adopts it, and keeps the new values",
  ]);
});

test.for([
  [
    "a node port that the cluster chose",
    service("type: NodePort, ports: [{port: 80, nodePort: 30001}]"),
    service("type: NodePort, ports: [{port: 80}]"),
    ["Service shop/web gives back its node port 30001"],
  ],
  [
    "a declared node port",
    service("type: NodePort, ports: [{port: 80, nodePort: 30001}]"),
    service("type: NodePort, ports: [{port: 80, nodePort: 30001}]"),
    [],
  ],
  [
    "the address of a load balancer",
    service("type: LoadBalancer", "{loadBalancer: {ingress: [{ip: 203.0.113.7}]}}"),
    service("type: LoadBalancer"),
    ["Service shop/web gives back the address of its load balancer"],
  ],
  [
    "a reserved address",
    service("type: LoadBalancer", "{loadBalancer: {ingress: [{ip: 203.0.113.7}]}}"),
    service("type: LoadBalancer, loadBalancerIP: 203.0.113.7"),
    [],
  ],
] as const)("a deleted Service loses %s", ([, live, declared, expected]) => {
  const deleted = planWith({ deletions: [deletionOf(live)] });
  expect(losses(deleted, undoOf(declared))).toEqual(expected);
  const changed = planWith({
    changes: [
      changeBetween(live, service("type: ClusterIP"), { predicted: service("type: ClusterIP") }),
    ],
  });
  expect(losses(changed, undoOf(declared)), "another type").toEqual(expected);
  const same = planWith({ changes: [changeBetween(live, declared, { predicted: live })] });
  expect(losses(same, undoOf(declared)), "the same type").toEqual([]);
});

test("a Service that stays headless loses its address", () => {
  const [live, after] = [service("clusterIP: 10.0.0.7"), service("clusterIP: None")];
  const plan = planWith({ changes: [changeBetween(live, after, { action: "replace" })] });
  const undo = (predicted: KubeObject) =>
    planWith({ changes: [changeBetween(after, service(""), { predicted })] });
  expect(losses(plan, undo(after))).toEqual(["Service shop/web stays headless after a rollback"]);
  expect(losses(plan, undo(live))).toEqual([]);
});

test.each([
  ["keeps the families of the plan", "ipFamilyPolicy: PreferDualStack", ["spec.ipFamilyPolicy"]],
  ["has the same families", "ipFamilyPolicy: SingleStack", []],
])("a Service that %s after the rollback", (_, restored, fields) => {
  const live = service("ipFamilyPolicy: SingleStack");
  const after = service("ipFamilyPolicy: PreferDualStack");
  const plan = planWith({ changes: [changeBetween(live, after, { predicted: after })] });
  const undo = changeBetween(after, service(""), { predicted: service(restored) });
  expect(losses(plan, planWith({ changes: [undo] }))).toEqual(
    fields.map((field) => `Service shop/web doesn't get back ${field}`),
  );
});

test.each([
  ["", ", serviceAccountName: mine", true],
  [", serviceAccountName: left", ", serviceAccountName: mine", true],
  ["", "", false],
  [", serviceAccountName: left", ", serviceAccountName: left", false],
])("the ServiceAccount of a template: from %j to %j", (before, after, isKept) => {
  const web = (account: string) =>
    objectFrom(
      `{apiVersion: apps/v1, kind: Deployment, metadata: {namespace: shop, name: web}, spec: {template: {spec: {containers: []${account}}}}}`,
    );
  const changed = web(", serviceAccountName: mine");
  const plan = planWith({ changes: [changeBetween(web(before), changed, { predicted: changed })] });
  const undo = changeBetween(changed, web(""), { predicted: web(after) });
  const kept = ["Deployment shop/web keeps the ServiceAccount of the deployment after a rollback"];
  expect(losses(plan, planWith({ changes: [undo] }))).toEqual(isKept ? kept : []);
});

test("an Ingress loses the class that it got as a new object", () => {
  const ingress = (spec: string) =>
    objectFrom(
      `{apiVersion: networking.k8s.io/v1, kind: Ingress, metadata: {namespace: shop, name: a}, spec: {${spec}}}`,
    );
  const [live, after] = [ingress("ingressClassName: a"), ingress("ingressClassName: b")];
  const plan = planWith({ changes: [changeBetween(live, after, { predicted: after })] });
  const undo = changeBetween(after, ingress(""), { predicted: ingress("") });
  expect(losses(plan, planWith({ changes: [undo] }))).toEqual([
    "Ingress shop/a doesn't get back spec.ingressClassName",
  ]);
});

test("a node port stays with its port, and is lost with it", () => {
  const live = service(
    "type: NodePort, ports: [{port: 80, nodePort: 30001}, {port: 81, nodePort: 30002}]",
  );
  const declared = service("type: NodePort, ports: [{port: 80}, {port: 81}]");
  const after = (ports: string) =>
    planWith({ changes: [changeBetween(live, service(`type: NodePort, ports: [${ports}]`))] });
  expect(losses(after("{port: 80}, {port: 81, protocol: TCP}"), undoOf(declared))).toEqual([]);
  expect(losses(after("{port: 80}"), undoOf(declared))).toEqual([
    "Service shop/web gives back its node port 30002",
  ]);
});

test.each([
  [
    "LoadBalancer, externalTrafficPolicy: Cluster",
    ["Service shop/web gives back its node port 30747"],
  ],
  ["LoadBalancer, externalTrafficPolicy: Local", []],
])("the port of health checks, if a Service becomes %s", (type, expected) => {
  const local = "type: LoadBalancer, externalTrafficPolicy: Local";
  const live = service(
    `${local}, healthCheckNodePort: 30747, ports: [{port: 80, nodePort: 30001}]`,
  );
  const after = service(`type: ${type}, ports: [{port: 80, nodePort: 30001}]`);
  const plan = planWith({ changes: [changeBetween(live, after, { predicted: after })] });
  expect(losses(plan, undoOf(service(`${local}, ports: [{port: 80}]`)))).toEqual(expected);
});
