import { expect, test } from "vitest";
import type { KubeObject } from "../../../../src/model/object.ts";
import { addressOf, idOf, keyOf, withMetadata } from "../../../../src/model/object.ts";
import type { Plan } from "../../../../src/model/plan/plan.ts";
import { clusterAfterPlan } from "../../../../src/planning/rollback/cluster-after-plan.ts";
import { fakeCluster } from "../../../support/fake-cluster.ts";
import {
  changeBetween,
  deletionOf,
  objectFrom,
  ownedBy,
  planWith,
} from "../../../support/plan/change-between.ts";

const config = (data: string) =>
  objectFrom(
    `{apiVersion: v1, kind: ConfigMap, metadata: {namespace: shop, name: a}, data: ${data}}`,
  );
const gateway = (port: number, labels = "{}") =>
  objectFrom(`
apiVersion: example.com/v1
kind: Gateway
metadata: {namespace: shop, name: a}
spec: {listeners: [{port: ${port}}], matchLabels: ${labels}}`);

/** Returns the answer to the dry run of an object after the plan. */
async function answerAfter(plan: Plan, objects: readonly KubeObject[], object: KubeObject) {
  const cluster = clusterAfterPlan(fakeCluster(objects), plan);
  const options = { fieldManager: "qvs-shop-app", dryRun: true, force: false };
  const answer = await cluster.apply(object, options);
  return answer.ok ? answer.value : answer.failure.causes.map(({ field }) => field);
}

test("the cluster has the created and changed objects, and lacks the deleted ones", async () => {
  const [old, kept] = [config('{a: "1"}'), gateway(80)];
  const plan = planWith({
    changes: [changeBetween(kept, gateway(81), { predicted: gateway(81) })],
    deletions: [deletionOf(old)],
  });
  const cluster = clusterAfterPlan(fakeCluster([old, kept]), plan);
  expect(await cluster.read(addressOf(old))).toMatchObject({ value: undefined });
  expect(await cluster.read(addressOf(kept))).toMatchObject({ value: gateway(81) });
});

test("an object that returns to its manifest becomes the present live object", async () => {
  const live = { ...config('{a: "1"}'), immutable: false };
  const plan = planWith({ changes: [changeBetween(live, config('{a: "2"}'))] });
  const answer = await answerAfter(plan, [live], config('{a: "1"}'));
  expect(answer).toMatchObject({ data: { a: "1" }, immutable: false });
});

test("a value of another manager that the plan overwrites doesn't come back", async () => {
  const live = ownedBy(config('{a: "1", size: "5"}'), "kubectl", '{"f:data":{"f:size":{}}}');
  const after = config('{a: "1", size: "3"}');
  const plan = planWith({ changes: [changeBetween(live, after, { predicted: after })] });
  const answer = await answerAfter(plan, [live], config('{a: "1"}'));
  expect(answer).not.toMatchObject({ data: { size: "5" } });
});

test("a value of another manager that the plan keeps stays", async () => {
  const live = ownedBy(config('{a: "1", size: "5"}'), "kubectl", '{"f:data":{"f:size":{}}}');
  const after = config('{a: "2", size: "5"}');
  const predicted = ownedBy(after, "kubectl", '{"f:data":{"f:size":{}}}');
  const plan = planWith({ changes: [changeBetween(live, config('{a: "2"}'), { predicted })] });
  const answer = await answerAfter(plan, [live], config('{a: "1"}'));
  expect(answer).toMatchObject({ data: { a: "1", size: "5" } });
});

test.for([
  ["spec.listeners[0].port", gateway(80), gateway(81)],
  ["spec.listeners[0].missing", gateway(80), gateway(81)],
  ["spec.matchLabels[example.com/name]", gateway(80, "{a: b}"), gateway(80, "{a: c}")],
  ["[unreadable", gateway(80), gateway(80)],
] as const)(
  "a field for which the plan replaces an object is immutable: %s",
  async ([field, before, after]) => {
    const steps = [{ type: "recreate", fields: [field] }, { type: "apply" }] as const;
    const replaced = changeBetween(before, after, { action: "replace", steps, predicted: after });
    const plan = planWith({ changes: [replaced] });
    expect(await answerAfter(plan, [before], before)).toEqual([field]);
  },
);

test("a ConfigMap that the plan replaces, because it was immutable, can change again", async () => {
  const before = { ...config('{a: "1"}'), immutable: true };
  const after = config('{a: "2"}');
  const steps = [{ type: "recreate", fields: ["data"] }, { type: "apply" }] as const;
  const replaced = changeBetween(before, after, { action: "replace", steps, predicted: after });
  const answer = await answerAfter(planWith({ changes: [replaced] }), [before], config('{a: "1"}'));
  expect(answer).toMatchObject({ data: { a: "1" } });
});

test("an equal field isn't the reason for another replacement", async () => {
  const [before, after] = [gateway(80, "{a: b}"), gateway(80, "{a: c}")];
  const steps = [{ type: "recreate", fields: ["spec.listeners[0].port"] }] as const;
  const replaced = changeBetween(before, after, { action: "replace", steps, predicted: after });
  const plan = planWith({ changes: [replaced] });
  expect(await answerAfter(plan, [before], before)).toMatchObject({ spec: before.spec });
});

test("a conflict with another manager blocks, unless it is forced", async () => {
  const after = ownedBy(config('{a: "2"}'), "kubectl", '{"f:data":{"f:a":{}}}');
  const plan = planWith({ changes: [changeBetween(after, after, { predicted: after })] });
  expect(await answerAfter(plan, [after], config('{a: "1"}'))).toEqual([".data.a"]);
});

test("a new object has a UID without a dry run, so that the rollback can delete it", async () => {
  const added = config('{a: "1"}');
  const plan = planWith({ changes: [changeBetween(undefined, added)] });
  const answer = await clusterAfterPlan(fakeCluster([]), plan).read(addressOf(added));
  expect(answer.ok && answer.value?.metadata["uid"]).toBe("new core:ConfigMap::shop/a");
});

test.each([
  ["type: Normal", ["eventTime"]],
  ["deprecatedCount: 2, deprecatedSource: {}", ["eventTime", "type", "deprecatedCount"]],
])("an Event with %s can't be created again", async (content, fields) => {
  const old = objectFrom(
    `{apiVersion: events.k8s.io/v1, kind: Event, metadata: {namespace: shop, name: a}, ${content}}`,
  );
  const plan = planWith({ deletions: [deletionOf(old)] });
  expect(await answerAfter(plan, [old], old)).toEqual(fields);
});

test("the cluster lacks the objects that Kubernetes deletes with their owners", async () => {
  const [owner, made, along] = [
    gateway(80),
    config('{a: "1"}'),
    { ...config("{}"), kind: "Secret" },
  ];
  const products = { objects: [idOf(made)], uids: new Set<string>() };
  const alsoDeleted = { objects: [{ key: keyOf(idOf(along)), id: idOf(along) }] };
  const plan = planWith({ deletions: [deletionOf(owner, { products, alsoDeleted })] });
  const cluster = clusterAfterPlan(fakeCluster([owner, made, along]), plan);
  for (const each of [made, along])
    expect(await cluster.read(addressOf(each))).toMatchObject({ value: undefined });
});

const listener = (selector: string) =>
  objectFrom(`
apiVersion: example.com/v1
kind: Gateway
metadata: {namespace: shop, name: a}
spec: {selector: ${selector}}`);

test("a field that only the plan declares isn't a default", async () => {
  const [live, next] = [listener("{app: web}"), listener("{app: web, tier: front}")];
  const plan = planWith({ changes: [changeBetween(live, next, { predicted: next })] });
  expect(await answerAfter(plan, [live], live)).toHaveProperty("spec", live.spec);
});

test("an immutable field blocks the way back although the rest of it stays", async () => {
  const [live, next] = [listener("{app: web}"), listener("{app: web, tier: front}")];
  const steps = [{ type: "recreate", fields: ["spec.selector"] }, { type: "apply" }] as const;
  const plan = planWith({ changes: [changeBetween(live, next, { action: "replace", steps })] });
  expect(await answerAfter(plan, [live], live)).toEqual(["spec.selector"]);
});

test("an object that the plan doesn't change stays as it is", async () => {
  const live = objectFrom(
    "{apiVersion: v1, kind: LimitRange, metadata: {namespace: shop, name: a}, spec: {limits: [{default: {cpu: '1'}, defaultRequest: {cpu: '1'}}]}}",
  );
  const declared = { ...live, spec: { limits: [{ default: { cpu: 1 } }] } };
  const plan = planWith({ changes: [changeBetween(live, declared, { action: "unchanged" })] });
  expect(await answerAfter(plan, [live], declared)).toMatchObject({ spec: live.spec });
});

test("a deployment doesn't own annotations that only others have written", async () => {
  const manifest = config('{a: "1"}');
  const annotated = withMetadata(manifest, { annotations: { "example.com/revision": "1" } });
  const plan = planWith({ changes: [changeBetween(annotated, manifest, { action: "unchanged" })] });
  const answer = await answerAfter(plan, [annotated], manifest);
  expect(JSON.stringify(answer)).toContain('"manager":"qvs-shop-app"');
  expect(JSON.stringify(answer)).not.toContain("f:annotations");
});

test("a Job that the cluster deletes soon after it finishes is absent", async () => {
  const job = (seconds: number) =>
    objectFrom(
      `{apiVersion: batch/v1, kind: Job, metadata: {namespace: shop, name: a}, spec: {ttlSecondsAfterFinished: ${seconds}}}`,
    );
  const after = async (seconds: number) => {
    const plan = planWith({ changes: [changeBetween(undefined, job(seconds))] });
    const answer = await clusterAfterPlan(fakeCluster([]), plan).read(addressOf(job(seconds)));
    return answer.ok && answer.value?.metadata["name"];
  };
  expect(await after(60)).toBeUndefined();
  expect(await after(100_000)).toBe("a");
});

test.each([
  ["true", { conditions: [{ type: "Complete", status: "True" }] }],
  ["false", undefined],
])("a Job with the annotation wait: %s", async (wait, status) => {
  const job = objectFrom(
    `{apiVersion: batch/v1, kind: Job, metadata: {namespace: shop, name: a, annotations: {vs.axis-dev.io/wait: "${wait}"}}, spec: {}}`,
  );
  const plan = planWith({ changes: [changeBetween(undefined, job)] });
  const answer = await clusterAfterPlan(fakeCluster([]), plan).read(addressOf(job));
  expect(answer.ok && answer.value?.["status"]).toEqual(status);
});

const service = (spec: string) =>
  objectFrom(
    `{apiVersion: v1, kind: Service, metadata: {namespace: shop, name: a}, spec: {${spec}}}`,
  );
const virtual = "clusterIP: 10.0.0.7, clusterIPs: [10.0.0.7]";

test.for([
  ["type: ClusterIP", { spec: { clusterIP: "None" } }],
  ["type: NodePort", ["spec.clusterIPs[0]"]],
  ["type: LoadBalancer", ["spec.clusterIPs[0]"]],
] as const)("a Service that the plan makes headless stays so: %s", async ([type, expected]) => {
  const [live, after] = [
    service(`${type}, ${virtual}`),
    service("clusterIP: None, clusterIPs: [None]"),
  ];
  const steps = [{ type: "recreate", fields: ["spec.clusterIPs[0]"] }, { type: "apply" }] as const;
  const replaced = changeBetween(live, after, { action: "replace", steps, predicted: after });
  const answer = await answerAfter(planWith({ changes: [replaced] }), [live], service(type));
  expect(answer).toMatchObject(expected);
});

const dual = "ipFamilyPolicy: PreferDualStack, ipFamilies: [IPv4, IPv6]";
const single = "ipFamilyPolicy: SingleStack, ipFamilies: [IPv4]";
const balancer = "type: LoadBalancer, externalTrafficPolicy: Local";

test.for([
  [
    "keeps families that it doesn't declare",
    single,
    dual,
    "",
    { spec: { ipFamilies: ["IPv4", "IPv6"] } },
  ],
  [
    "loses its second family",
    dual,
    dual,
    "ipFamilyPolicy: SingleStack",
    { spec: { ipFamilies: ["IPv4"] } },
  ],
  ["can't reduce its families alone", single, dual, "ipFamilies: [IPv4]", ["spec.ipFamilyPolicy"]],
  [
    "becomes internal with a former traffic policy",
    "type: ClusterIP",
    `${balancer}, healthCheckNodePort: 30001, ports: [{port: 80, nodePort: 30002}]`,
    "type: ClusterIP, externalTrafficPolicy: Local, ports: [{port: 80}]",
    { spec: { type: "ClusterIP", ports: [{ port: 80 }] } },
  ],
  [
    "declares a traffic policy that its type never had",
    "type: ClusterIP",
    "type: ClusterIP",
    "type: ClusterIP, externalTrafficPolicy: Local",
    ["spec.externalTrafficPolicy"],
  ],
  [
    "declares a class and ranges without a load balancer",
    "type: ClusterIP",
    "type: NodePort",
    "type: ClusterIP, loadBalancerClass: a, loadBalancerSourceRanges: [10.0.0.0/8]",
    ["spec.loadBalancerClass", "spec.loadBalancerSourceRanges"],
  ],
] as const)("a Service %s", async ([, before, after, again, expected]) => {
  const [live, changed] = [service(before), service(after)];
  const plan = planWith({ changes: [changeBetween(live, changed, { predicted: changed })] });
  const answer = await answerAfter(plan, [live], service(again));
  expect(answer).toMatchObject(expected);
  expect(answer).not.toMatchObject({ spec: { externalTrafficPolicy: "Local" } });
});

const web = (apiVersion: string, account: string) =>
  objectFrom(`
apiVersion: ${apiVersion}
kind: ${apiVersion === "apps/v1" ? "Deployment" : "Rollout"}
metadata: {namespace: shop, name: web}
spec: {template: {spec: {containers: [{name: web}]${account}}}}`);
const mine = ", serviceAccountName: mine";

test.for([
  ["is kept", "apps/v1", "", { serviceAccountName: "mine", serviceAccount: "mine" }],
  [
    "is another one",
    "apps/v1",
    ", serviceAccountName: other",
    { serviceAccountName: "other", serviceAccount: "other" },
  ],
  ["is removed from a custom kind", "argoproj.io/v1alpha1", "", { containers: [{ name: "web" }] }],
] as const)(
  "a ServiceAccount that the rollback no longer declares %s",
  async ([, version, again, expected]) => {
    const live = web(version, "");
    const changed = web(version, `${mine}, serviceAccount: mine`);
    const plan = planWith({
      changes: [changeBetween(live, web(version, mine), { predicted: changed })],
    });
    const answer = await answerAfter(plan, [live], web(version, again));
    expect(answer).toMatchObject({ spec: { template: { spec: expected } } });
    expect(JSON.stringify(answer).includes("serviceAccount")).toBe("serviceAccount" in expected);
  },
);

test("a deleted Service can't come back with a policy that the API server dropped", async () => {
  const live = service("type: ClusterIP");
  const plan = planWith({ deletions: [deletionOf(live)] });
  const declared = service("type: ClusterIP, externalTrafficPolicy: Local");
  expect(await answerAfter(plan, [live], declared)).toEqual(["spec.externalTrafficPolicy"]);
});

test("an Ingress doesn't get the default class again", async () => {
  const ingress = (spec: string) =>
    objectFrom(
      `{apiVersion: networking.k8s.io/v1, kind: Ingress, metadata: {namespace: shop, name: a}, spec: {${spec}}}`,
    );
  const live = ingress("ingressClassName: default, rules: [{host: a}]");
  const own = '{"f:spec": {"f:ingressClassName": {}, "f:rules": {}}}';
  const entry = { manager: "qvs-shop-app", operation: "Apply", apiVersion: live.apiVersion };
  const fieldsV1 = JSON.parse(own);
  const after = withMetadata(ingress("ingressClassName: other, rules: [{host: a}]"), {
    managedFields: [{ ...entry, fieldsV1 }],
  });
  const plan = planWith({ changes: [changeBetween(live, after, { predicted: after })] });
  const answer = await answerAfter(plan, [live], ingress("rules: [{host: a}]"));
  expect(answer).toMatchObject({ spec: { rules: [{ host: "a" }] } });
  expect(answer).not.toHaveProperty("spec.ingressClassName");
});

const port = { name: "http", port: 80, protocol: "TCP" };

test("an item that an unchecked change adds to a list is removed on the way back", async () => {
  const key = 'k:{"port":80,"protocol":"TCP"}';
  const fieldsV1 = { "f:spec": { "f:ports": { [key]: { "f:name": {}, "f:port": {} } } } };
  const entry = { manager: "qvs-shop-app", operation: "Apply", apiVersion: "v1", fieldsV1 };
  // The rollback can't return to the present object, because the plan overwrites a value of helm.
  const theirs = { "f:spec": { "f:sessionAffinity": {} } };
  const helm = { ...entry, manager: "helm", fieldsV1: theirs };
  const live = withMetadata(
    service("ports: [{name: http, port: 80, protocol: TCP}], sessionAffinity: ClientIP"),
    { managedFields: [entry, helm] },
  );
  const [before, after] = [
    service("ports: [{name: http, port: 80}]"),
    service("ports: [{name: http, port: 80}, {name: metrics, port: 9090}], sessionAffinity: None"),
  ];
  const plan = planWith({ changes: [changeBetween(live, after)] });
  expect(await answerAfter(plan, [live], before)).toMatchObject({ spec: { ports: [port] } });
});

test("a value that the plan sets differs from one that only the rollback sets", async () => {
  const pending = config('{uid: "(known after deploy)"}');
  const plan = planWith({ changes: [changeBetween(undefined, pending)] });
  const answer = await clusterAfterPlan(fakeCluster([]), plan).read(addressOf(pending));
  expect(answer.ok && answer.value?.["data"]).toEqual({ uid: "(set by the plan)" });
});

const set = (image: string, storage: string, labels: string) =>
  objectFrom(`
apiVersion: apps/v1
kind: StatefulSet
metadata: {namespace: shop, name: db}
spec:
  template: {image: ${image}}
  volumeClaimTemplates: [{metadata: {name: data${labels}}, spec: {resources: {requests: {storage: ${storage}}}}}]`);

test.each([
  ["a quantity that the API server stores in another form", "1024Mi", ""],
  ["a field that the API server drops", "1Gi", ", labels: {}"],
])("%s isn't an immutable field that changes", async (_, storage, labels) => {
  const declared = (image: string) => set(image, storage, labels);
  const stored = (image: string) => set(image, "1Gi", "");
  const change = changeBetween(stored("db:1"), declared("db:2"), { predicted: stored("db:2") });
  const plan = planWith({ changes: [change] });
  const answer = await answerAfter(plan, [stored("db:1")], declared("db:1"));
  expect(answer).toMatchObject({ spec: { template: { image: "db:1" } } });
});

test("another size in an immutable field is rejected", async () => {
  const [before, after] = [set("db:1", "1Gi", ""), set("db:1", "2Gi", "")];
  const plan = planWith({ changes: [changeBetween(before, after, { predicted: after })] });
  expect(await answerAfter(plan, [before], before)).toEqual(["spec.volumeClaimTemplates"]);
});
