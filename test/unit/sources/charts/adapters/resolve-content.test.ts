import { expect, test } from "vitest";
import type { Json, JsonObject } from "../../../../../src/model/json.ts";
import type { Manifest, Resource } from "../../../../../src/model/sources/compilation.ts";
import { resolveContent } from "../../../../../src/sources/charts/adapters/resolve-content.ts";

function manifest(id: string, object: JsonObject, pulumi = false): Manifest {
  return {
    type: "manifest",
    stage: "app",
    id,
    object,
    dependsOn: [],
    ...(pulumi ? { pulumi } : {}),
  };
}

const settings = manifest("settings", {
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: "settings", namespace: "shop" },
  data: { size: "3", other: "$(ref.ns.metadata.name)", price: "5$$(ref.x)" },
  list: [1, 2],
});

const resources: readonly Resource[] = [
  manifest("ns", {
    apiVersion: "v1",
    kind: "Namespace",
    metadata: { name: "shop" },
    status: { phase: "x" },
  }),
  settings,
  manifest("login", {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: "login" },
    stringData: { password: "p" },
  }),
  manifest("g/ns", { apiVersion: "v1", kind: "Namespace", metadata: { name: "inner" } }),
  manifest("deployment/web", { metadata: { name: "web" } }),
  { type: "foreign", stage: "app", id: "ip", provider: "pulumi-yaml", content: {} },
  { type: "foreign", stage: "app", id: "other", provider: "kubernetes-helm", content: {} },
];

function resolve(values: Json, options?: JsonObject, id = "web") {
  const content = {
    type: "kubernetes:helm.sh/v3:Release",
    properties: { values },
    ...(options === undefined ? {} : { options }),
  };
  const found = resolveContent({ id, stage: "app", content }, resources);
  const { values: resolved } = found.content["properties"] as JsonObject;
  return { values: resolved, dependsOn: found.dependsOn, problems: found.problems };
}

const known: readonly (readonly [text: string, value: Json, dependsOn: readonly string[]])[] = [
  ["plain $$5 {x}", "plain $5 {x}", []],
  ["${ns.metadata.name}", "shop", ["ns"]],
  ["in ${ns.metadata.name}/${settings.data.size}", "in shop/3", ["ns", "settings"]],
  ["$(ref.settings.data.size)", "3", ["settings"]],
  ["${settings.list}", [1, 2], ["settings"]],
  ["${settings.list[1]}", 2, ["settings"]],
  ["${settings.data.price}", "5$(ref.x)", ["settings"]],
  ["${login.metadata.name}", "login", ["login"]],
];

test.each(known)("%s has the declared value", (text, value, dependsOn) => {
  expect(resolve({ a: [text] })).toEqual({ values: { a: [value] }, dependsOn, problems: [] });
});

test("the group of the chart comes first", () => {
  expect(resolve("${ns.metadata.name}", undefined, "g/web").values).toBe("inner");
});

const unknown: readonly (readonly [text: string, why: string])[] = [
  ["${gone.metadata.name}", "The deployment has no such resource"],
  ["${ip.address}", "The resource isn't a Kubernetes object"],
  ["${other.status}", "The resource isn't a Kubernetes object"],
  ["${ns.status.phase}", "The manifest of the resource doesn't declare the field"],
  ["${ns.spec}", "The manifest of the resource doesn't declare the field"],
  ["${ns}", "A reference must name exactly one field"],
  ["${settings.list[*]}", "A reference must name exactly one field"],
  ["${login.stringData.password}", "A chart can't contain the value of a Secret"],
  ["${settings.data.other}", "The field contains a reference itself"],
  ["${deployment/web.metadata.name}", "The resource belongs to a chart"],
];

test.each(unknown)("%s has no value", (text, why) => {
  expect(resolve(text).problems).toEqual([{ written: text, why }]);
});

test("a list can't be a part of a string", () => {
  expect(resolve("x ${settings.list}").problems).toEqual([
    { written: "${settings.list}", why: "A part of a string must be a string, number or boolean" },
  ]);
});

test("in the options of a chart, only $(ref…) is a reference", () => {
  const content = {
    chart: "web",
    values: { a: "${ns.metadata.name}", b: "$(ref.ns.metadata.name)" },
  };
  const found = resolveContent({ id: "web", stage: "app", content }, resources);
  expect(found.content["values"]).toEqual({ a: "${ns.metadata.name}", b: "shop" });
});

test("dependencies can name objects and charts, and nothing else", () => {
  const { dependsOn, problems } = resolve(
    {},
    { dependsOn: ["${ns}", "${other}", "${ip}", "x", 7] },
  );
  expect(dependsOn).toEqual(["ns", "other"]);
  expect(problems).toEqual([
    {
      written: "${ip}",
      why: "The resource isn't a Kubernetes object or a chart",
      isDependency: true,
    },
    { written: "x", why: "The deployment has no such resource", isDependency: true },
    { written: "7", why: "The deployment has no such resource", isDependency: true },
  ]);
});

test("the values of references have a limit", () => {
  const big = manifest("big", {
    apiVersion: "v1",
    kind: "ConfigMap",
    data: { a: "x".repeat(2_000_000) },
  });
  const content = { chart: "web", values: ["$(ref.big.data.a)", "$(ref.big.data.a) "] };
  const { problems } = resolveContent({ id: "web", stage: "app", content }, [big]);
  expect(problems).toEqual([
    { written: "$(ref.big.data.a)", why: "The values of all references together are too large" },
  ]);
});

test("references that exceed the limit cost nothing", () => {
  const big = manifest("big", {
    apiVersion: "v1",
    kind: "ConfigMap",
    data: Object.fromEntries(Array.from({ length: 500 }, (_, key) => [`k${key}`, "x".repeat(900)])),
  });
  let reads = 0;
  const counted = { ...big, object: { ...big.object } };
  Object.defineProperty(counted.object, "data", {
    enumerable: true,
    get: () => {
      reads += 1;
      return big.object["data"];
    },
  });
  const content = { chart: "web", values: Array.from({ length: 20_000 }, () => "$(ref.big.data)") };
  const { problems } = resolveContent({ id: "web", stage: "app", content }, [counted]);
  expect(problems).toEqual([
    { written: "$(ref.big.data)", why: "The values of all references together are too large" },
  ]);
  expect(reads).toBeLessThan(10);
});

test("the number of different references has a limit", () => {
  const values = Array.from({ length: 1_500 }, (_, index) => `$(ref.ns.metadata.x${index})`);
  const content = { chart: "web", values };
  const { problems } = resolveContent({ id: "web", stage: "app", content }, resources);
  const tooMany = problems.filter(({ why }) => why === "The resource has more than 200 references");
  expect(tooMany).toHaveLength(1_300);
});
