import { expect, test } from "vitest";
import type { KubeObject } from "../../../../src/model/object.ts";
import { readNullRules } from "../../../../src/planning/live/read-null-rules.ts";
import type { Cluster } from "../../../../src/ports/kubernetes.ts";
import { fakeCluster, refused } from "../../../support/fake-cluster.ts";
import { manifestsFrom, problemText } from "../../../support/plan/declare.ts";

/** Tests which schema decides about null, and which requests to the cluster that needs. */

const nullable = { properties: { spec: { nullable: true } } };
const definition = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "valves.shop.example" },
  spec: {
    group: "shop.example",
    names: { kind: "Valve", plural: "valves" },
    versions: [{ name: "v1", schema: { openAPIV3Schema: nullable } }],
  },
} as unknown as KubeObject;

const valve = (spec: string) =>
  manifestsFrom(
    `app/a: {apiVersion: shop.example/v1, kind: Valve, metadata: {name: a}, spec: ${spec}, status: {x: null}}`,
  );

async function rules(spec: string, more: Partial<Cluster> = {}, objects = [definition]) {
  const requests: string[] = [];
  const fake = fakeCluster(objects);
  const cluster: Cluster = {
    ...fake,
    read: (address) => {
      requests.push(address.name);
      return fake.read(address);
    },
    ...more,
  };
  const read = await readNullRules(cluster, valve(spec), 4);
  return {
    requests,
    found: read.ok ? read.value("shop.example/v1", "Valve") : problemText(read.problems),
  };
}

const forbidden = refused("forbidden", 403, "you may not");

test("the CustomResourceDefinition decides, and qvs reads it only for manifests with null", async () => {
  expect(await rules("null")).toEqual({
    requests: ["valves.shop.example"],
    found: { by: "schema", schema: nullable },
  });
  expect(await rules("{a: [null]}")).toEqual({ requests: [], found: { by: "nothing" } });
});

test.each([
  ["the CustomResourceDefinition can't be read", { read: async () => forbidden }, [definition]],
  ["a server behind an APIService has no CustomResourceDefinition", {}, []],
])("the OpenAPI document decides if %s", async (_, more, objects) => {
  const schema = { properties: {} };
  const open: Partial<Cluster> = { ...more, schema: async () => ({ ok: true, value: schema }) };
  expect((await rules("null", open, objects)).found).toEqual({ by: "schema", schema });
});

test("the rule is unknown and blocks nothing if neither source is readable or decides", async () => {
  expect((await rules("null", {}, [])).found).toEqual({
    by: "nothing",
    why: "the API server publishes no schema",
  });
  const blind = { read: async () => forbidden, schema: async () => forbidden };
  expect((await rules("null", blind)).found).toEqual({ by: "nothing", why: "you may not" });
});

test("a temporary failure blocks the plan, since qvs could otherwise remove a field", async () => {
  const down = refused("other", 503, "it restarts");
  const { found } = await rules("null", { read: async () => down, schema: async () => down });
  expect(found).toContain("qvs can't read the schema of Valve in shop.example/v1");
});
