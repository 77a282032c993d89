import { expect, test } from "vitest";
import type { KubeObject } from "../../../../src/model/object.ts";
import { projectRollouts } from "../../../../src/planning/rollback/pods-after-plan.ts";
import { fakeCluster } from "../../../support/fake-cluster.ts";
import { changeBetween, objectFrom, planWith } from "../../../support/plan/change-between.ts";

const web = (image: string, updatedReplicas = 2) =>
  objectFrom(`
apiVersion: apps/v1
kind: Deployment
metadata: {namespace: shop, name: web, uid: web}
spec:
  replicas: 2
  template: {metadata: {labels: {app: web}}, spec: {containers: [{name: web, image: ${image}}]}}
status: {replicas: 2, updatedReplicas: ${updatedReplicas}}`);
const owned = (kind: string, name: string, owner: string, more: string) =>
  objectFrom(`
apiVersion: ${kind === "Pod" ? "v1" : "apps/v1"}
kind: ${kind}
metadata:
  ${more}
  namespace: shop
  name: ${name}
  uid: ${name}
  labels: {app: web, pod-template-hash: ${owner}}
  ownerReferences: [{uid: ${owner}, controller: true}]
spec: {${kind === "Pod" ? `nodeName: node-${name}` : "replicas: 1"}}`);
const set = (name: string, minute: number, owner = "web") =>
  owned("ReplicaSet", name, owner, `creationTimestamp: "2026-01-01T00:0${minute}:00Z"`);
const pod = (name: string, owner: string) => owned("Pod", name, owner, "");

const found = [
  ...[set("old", 1), set("new", 2), set("other", 3, "api")],
  ...[pod("a", "old"), pod("b", "new"), pod("c", "new"), pod("d", "other")],
];

async function listed(live: KubeObject, next: KubeObject, kind: string, apiVersion: string) {
  const plan = planWith({ changes: [changeBetween(live, next, { predicted: next })] });
  const answer = await projectRollouts(plan)(fakeCluster([live, ...found]).list)(
    apiVersion,
    kind,
    "shop",
  );
  return answer.ok ? answer.value.items : [];
}

const names = (objects: readonly KubeObject[]) => objects.map(({ metadata }) => metadata["name"]);

test("after a rollout, a Deployment has only its newest ReplicaSet, with the new template", async () => {
  const sets = await listed(web("web:1"), web("web:2"), "ReplicaSet", "apps/v1");
  expect(names(sets)).toEqual(["new", "other"]);
  expect(JSON.stringify(sets[0])).toContain("web:2");
});

test("as many Pods as replicas have the new template and stay on their nodes", async () => {
  const pods = await listed(web("web:1"), web("web:2"), "Pod", "v1");
  expect(names(pods)).toEqual(["a", "b", "d"]);
  expect(pods[0]).toMatchObject({
    metadata: { labels: { app: "web", "pod-template-hash": "after-plan" } },
    spec: { nodeName: "node-a", containers: [{ image: "web:2" }] },
  });
  expect(pods[0]?.metadata["ownerReferences"]).toMatchObject([{ uid: "new" }]);
});

test("a rollout that the plan only completes counts too, and a completed one doesn't", async () => {
  const scaled = { ...web("web:1"), metadata: { ...web("web:1").metadata, labels: { a: "b" } } };
  expect(names(await listed(web("web:1", 1), scaled, "Pod", "v1"))).toEqual(["a", "b", "d"]);
  expect(names(await listed(web("web:1"), scaled, "Pod", "v1"))).toEqual(["a", "b", "c", "d"]);
});
