import { expect, test } from "vitest";
import { objectAt } from "../../../../src/model/json.ts";
import type { KubeObject } from "../../../../src/model/object.ts";
import { projectQuotas } from "../../../../src/planning/rollback/quotas-after-plan.ts";
import { fakeCluster } from "../../../support/fake-cluster.ts";
import { changeBetween, objectFrom, planWith } from "../../../support/plan/change-between.ts";
import { requirePlan } from "../../../support/plan/plan-text.ts";

const quota = (used: string, scopes = "[]") =>
  objectFrom(`
apiVersion: v1
kind: ResourceQuota
metadata: {namespace: shop, name: usual}
spec: {scopes: ${scopes}}
status: {used: ${used}}`);
const web = (cpu: string) =>
  objectFrom(`
apiVersion: apps/v1
kind: Deployment
metadata: {namespace: shop, name: web, uid: web}
spec:
  replicas: 2
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: web, image: web, resources: {requests: {cpu: ${cpu}}}}]}
status: {replicas: 2, updatedReplicas: 2}`);
const service = (type: string) =>
  objectFrom(`
apiVersion: v1
kind: Service
metadata: {namespace: shop, name: web}
spec: {type: ${type}, ports: [{port: 80}]}`);
const updated = (live: KubeObject, next: KubeObject) =>
  planWith({ changes: [changeBetween(live, next, { predicted: next })] });
const deleted = (name: string, yaml: string) =>
  requirePlan({ before: `app/${name}: ${yaml}`, declared: "", allowDelete: ["everything"] });

test.each([
  [
    "a smaller request",
    updated(web("400m"), web("100m")),
    quota("{requests.cpu: 800m, pods: '2'}"),
    { "requests.cpu": "0.2", pods: "2" },
  ],
  [
    "Pods that leave a scope",
    updated(web("0"), web("100m")),
    quota("{pods: '2'}", "[BestEffort]"),
    { pods: "0" },
  ],
  [
    "a deleted object",
    deleted("old", "{apiVersion: v1, kind: ConfigMap, metadata: {name: old}}"),
    quota("{count/configmaps: '3', secrets: '1'}"),
    { "count/configmaps": "2", secrets: "1" },
  ],
  [
    "a Service without its node port",
    updated(service("NodePort"), service("ClusterIP")),
    quota("{services.nodeports: '1', services: '1'}"),
    { "services.nodeports": "0", services: "1" },
  ],
])("after %s, a quota counts what remains", async (_, plan, before, expected) => {
  const { list } = fakeCluster([before]);
  const answer = await projectQuotas(plan, list)(list)("v1", "ResourceQuota", "shop");
  const found = answer.ok ? answer.value.items : [];
  expect(found.map((each) => objectAt(each, "status", "used"))).toEqual([expected]);
});
