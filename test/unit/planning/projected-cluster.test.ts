import { expect, test } from "vitest";
import { combineUpstreamPlans } from "../../../src/model/deployments/other-deployments.ts";
import type { KubeObject } from "../../../src/model/object.ts";
import { projectedCluster } from "../../../src/planning/projected-cluster.ts";
import type { Cluster } from "../../../src/ports/kubernetes.ts";
import { fakeCluster, refused } from "../../support/fake-cluster.ts";
import { changeBetween, objectFrom, planWith } from "../../support/plan/change-between.ts";
import { planOf } from "../../support/plan/plan-text.ts";

const before = `
app/changes: {apiVersion: v1, kind: ConfigMap, metadata: {name: changes}, data: {a: "1"}}
app/goes: {apiVersion: v1, kind: ConfigMap, metadata: {name: goes}}
`;
const declared = `
app/new: {apiVersion: v1, kind: Namespace, metadata: {name: new}}
app/comes: {apiVersion: v1, kind: ConfigMap, metadata: {name: comes}, data: {a: "1"}}
app/changes: {apiVersion: v1, kind: ConfigMap, metadata: {name: changes}, data: {a: "2"}}
app/login: {apiVersion: v1, kind: Secret, metadata: {name: login}, stringData: {password: hunter2}}
app/gadgets:
  apiVersion: apiextensions.k8s.io/v1
  kind: CustomResourceDefinition
  metadata: {name: gadgets.shop.example}
  spec:
    group: shop.example
    scope: Cluster
    names: {kind: Gadget, plural: gadgets}
    versions:
      - {name: v1, served: true, storage: false}
      - {name: v2, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}
      - {name: v3, served: false, storage: false}
`;

const map = (name: string, data?: KubeObject["data"]): KubeObject => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name, namespace: "shop" },
  ...(data === undefined ? {} : { data }),
});

/** Projects a cluster that has neither the new kind nor objects in the new namespace. */
function afterwards(): Cluster {
  const planned = planOf({ before, declared });
  if (!planned.ok) throw new Error(JSON.stringify(planned.problems));
  const fake = fakeCluster([map("changes", { a: "1" }), map("goes"), map("stays")]);
  const unknown = refused("unknown-kind", 404, "no such kind");
  const missing = refused("not-found", 404, "no such namespace");
  const now: Cluster = {
    ...fake,
    kind: async (_, kind) => (kind === "Gadget" ? unknown : fake.kind("v1", kind)),
    preferredKind: async () => unknown,
    read: async (address) => (address.kind === "Gadget" ? unknown : fake.read(address)),
    list: async (apiVersion, kind, namespace) => {
      if (kind === "Gadget") return unknown;
      return namespace === "shop" ? fake.list(apiVersion, kind, namespace) : missing;
    },
    create: async () => refused("not-found", 404, "asked"),
  };
  return projectedCluster(
    now,
    combineUpstreamPlans([{ deployment: "platform", plan: planned.value }]),
  );
}

test("created, changed and deleted objects are read as planned, and others as they are", async () => {
  const cluster = afterwards();
  const read = async (name: string) => {
    const answer = await cluster.read({
      apiVersion: "v1",
      kind: "ConfigMap",
      namespace: "shop",
      name,
    });
    return answer.ok ? (answer.value?.["data"] ?? answer.value?.metadata.name) : answer.failure;
  };
  expect(await read("comes")).toEqual({ a: "1" });
  expect(await read("changes")).toEqual({ a: "2" });
  expect(await read("goes")).toBeUndefined();
  expect(await read("stays")).toBe("stays");
  const listed = await cluster.list("v1", "ConfigMap", "shop");
  const names = listed.ok ? listed.value.items.map(({ metadata }) => metadata.name) : listed;
  expect(names).toEqual(["stays", "changes", "comes"]);
});

test("an object that changes in another version of its API is listed as changed", async () => {
  const scaler = (version: string, maxReplicas: number) =>
    objectFrom(
      `{apiVersion: autoscaling/${version}, kind: HorizontalPodAutoscaler, metadata: {namespace: shop, name: web}, spec: {maxReplicas: ${maxReplicas}}}`,
    );
  const change = changeBetween(scaler("v2", 3), scaler("v1", 4), { predicted: scaler("v1", 4) });
  const plan = planWith({ changes: [change] });
  const now = fakeCluster([scaler("v2", 3)]);
  const cluster = projectedCluster(now, combineUpstreamPlans([{ deployment: "platform", plan }]));
  const answer = await cluster.list("autoscaling/v2", "HorizontalPodAutoscaler", "shop");
  expect(answer.ok && answer.value.items).toEqual([scaler("v2", 4)]);
});

test("a planned Secret only exists and has no content", async () => {
  const address = { apiVersion: "v1", kind: "Secret", namespace: "shop", name: "login" };
  const answer = await afterwards().read(address);
  expect(answer.ok && answer.value?.kind).toBe("Secret");
  expect(JSON.stringify(answer)).not.toMatch(/hunter2|aHVudGVyMg|stringData/);
});

test("kinds of new CustomResourceDefinitions are served in their versions and have no objects", async () => {
  const cluster = afterwards();
  const kind = async (apiVersion: string) => (await cluster.kind(apiVersion, "Gadget")).ok;
  expect([await kind("shop.example/v1"), await kind("shop.example/v2")]).toEqual([true, true]);
  expect([await kind("shop.example/v3"), await kind("other.example/v1")]).toEqual([false, false]);
  const preferred = await cluster.preferredKind("shop.example", "Gadget");
  expect(preferred.ok && [preferred.value.version, preferred.value.namespaced]).toEqual([
    "v2",
    false,
  ]);
  expect(await cluster.schema("shop.example/v2", "Gadget")).toEqual({
    ok: true,
    value: { type: "object" },
  });
  expect(await cluster.schema("shop.example/v1", "Gadget")).toEqual({ ok: true, value: undefined });
  const listed = await cluster.list("shop.example/v1", "Gadget", undefined);
  expect(listed.ok && listed.value.items).toEqual([]);
  const read = { apiVersion: "shop.example/v1", kind: "Gadget", namespace: "", name: "main" };
  expect(await cluster.read(read)).toEqual({ ok: true, value: undefined });
  expect((await cluster.list("other.example/v1", "Gadget", undefined)).ok).toBe(false);
});

test("a new namespace is empty, and dry-runs in it aren't sent", async () => {
  const cluster = afterwards();
  const listed = await cluster.list("v1", "ConfigMap", "new");
  expect(listed.ok && listed.value.items).toEqual([]);
  expect((await cluster.list("v1", "ConfigMap", "nowhere")).ok).toBe(false);
  const inNew = { ...map("a"), metadata: { name: "a", namespace: "new" } };
  expect(await cluster.create(inNew, { dryRun: true })).toEqual({ ok: true, value: inNew });
  expect((await cluster.create(map("a"), { dryRun: true })).ok).toBe(false);
});

test("without upstream deployments, the projection is the cluster itself", () => {
  const cluster = fakeCluster();
  expect(projectedCluster(cluster, undefined)).toBe(cluster);
  expect(projectedCluster(cluster, combineUpstreamPlans([]))).toBe(cluster);
});

test("a deleted namespace or kind is projected without its objects", async () => {
  const stays = "app/stays: {apiVersion: v1, kind: ConfigMap, metadata: {name: stays}}\n";
  const deletedNamespace = `
app/old: {apiVersion: v1, kind: Namespace, metadata: {name: old, namespace: ""}}
app/gadgets: {apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: gadgets.shop.example, namespace: ""}}
`;
  const allowDelete = ["Namespace", "CustomResourceDefinition"];
  const planned = planOf({ before: stays + deletedNamespace, declared: stays, allowDelete });
  if (!planned.ok) throw new Error(JSON.stringify(planned.problems));
  const object = { ...map("a"), metadata: { name: "a", namespace: "old" } };
  const gadget = { group: "shop.example", version: "v1", kind: "Gadget", plural: "gadgets" };
  const now: Cluster = {
    ...fakeCluster([object]),
    kind: async () => ({ ok: true, value: { ...gadget, namespaced: true, listable: true } }),
  };
  const cluster = projectedCluster(
    now,
    combineUpstreamPlans([{ deployment: "platform", plan: planned.value }]),
  );
  const listed = await cluster.list("v1", "ConfigMap", "old");
  expect(listed.ok && listed.value.items).toEqual([]);
  const address = { apiVersion: "v1", kind: "ConfigMap", namespace: "old", name: "a" };
  expect(await cluster.read(address)).toEqual({ ok: true, value: undefined });
  const options = { fieldManager: "qvs", force: false, dryRun: true };
  for (const answer of [
    await cluster.create(object, options),
    await cluster.apply(object, options),
  ])
    expect(answer.ok ? undefined : answer.failure.message).toBe('namespaces "old" not found');
  const kind = await cluster.kind("shop.example/v1", "Gadget");
  expect(kind.ok ? undefined : kind.failure.reason).toBe("unknown-kind");
});

test("thousands of new objects are merged into a list in linear time", async () => {
  const plan = planOf({ before, declared });
  if (!plan.ok) throw new Error(JSON.stringify(plan.problems));
  const [one] = plan.value.changes.filter(({ id }) => id.name === "comes");
  if (one === undefined) throw new Error("nothing is created");
  let looks = 0;
  const counted = (name: string): KubeObject =>
    Object.defineProperty(map(name), "metadata", {
      get: () => {
        looks += 1;
        return { name, namespace: "shop" };
      },
    });
  const changes = Array.from({ length: 3_000 }, (_, i) => {
    const name = `comes-${i}`;
    const id = { ...one.id, name };
    return { ...one, id, key: `core:ConfigMap::shop/${name}`, predicted: counted(name) };
  });
  const items = Array.from({ length: 3_000 }, (_, i) => counted(`stays-${i}`));
  const now: Cluster = {
    ...fakeCluster(),
    list: async () => ({ ok: true, value: { items, resourceVersion: "1" } }),
  };
  const earlier = combineUpstreamPlans([
    { deployment: "platform", plan: { ...plan.value, changes } },
  ]);
  const listed = await projectedCluster(now, earlier).list("v1", "ConfigMap", "shop");
  expect(listed.ok && listed.value.items.length).toBe(6_000);
  expect(looks).toBeLessThan(10 * items.length);
});
