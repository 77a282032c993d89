import pLimit from "p-limit";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { readProducts } from "../../../../src/apply/deletion/read-dependents.ts";
import { findProducts } from "../../../../src/model/cluster/owned-objects.ts";
import { type KubeObject, nameOf } from "../../../../src/model/object.ts";
import type { Cluster } from "../../../../src/ports/kubernetes.ts";
import { fakeCluster, refused } from "../../../support/fake-cluster.ts";

const owners = (...names: readonly string[]) =>
  names
    .map((name) => `{apiVersion: made.example/v1, kind: Maker, name: ${name}, uid: ${name}}`)
    .join(", ");

function object(apiVersion: string, kind: string, name: string, by = "", spec = "{}"): KubeObject {
  const metadata = `{name: ${name}, namespace: shop, uid: ${name}, ownerReferences: [${by}]}`;
  return parse(`{apiVersion: ${apiVersion}, kind: ${kind}, metadata: ${metadata}, spec: ${spec}}`);
}

const maker = (name: string, by = "", spec = "{}") =>
  object("made.example/v1", "Maker", name, by, spec);
const secret = (name: string, by = "") => object("v1", "Secret", name, by);

async function products(deleted: readonly KubeObject[], cluster: Cluster): Promise<string> {
  const made = await readProducts(cluster, pLimit(4), ["shop"]);
  return [...findProducts(deleted, made)]
    .map(([uid, { objects }]) => `${uid}: ${objects.map(nameOf).join(", ")}`)
    .join("; ");
}

const blind: Cluster = {
  ...fakeCluster([]),
  listMetadata: async () => refused("forbidden", 403, "no Secrets for you"),
};

test.each<[string, readonly KubeObject[], Cluster, string]>([
  ["an owner", [maker("a")], fakeCluster([secret("s", owners("a"))]), "a: Secret shop/s"],
  [
    "an owner of an owner",
    [maker("a")],
    fakeCluster([secret("s", owners("b")), maker("b", owners("a"))]),
    "a: Secret shop/s",
  ],
  [
    "one of two owners, of which the other stays",
    [maker("a")],
    fakeCluster([secret("s", owners("a", "b")), maker("a"), maker("b")]),
    "",
  ],
  [
    "a deleted owner and a ConfigMap that stays",
    [maker("a")],
    fakeCluster([
      secret("s", `${owners("a")}, {apiVersion: v1, kind: ConfigMap, name: c, uid: c}`),
      object("v1", "ConfigMap", "c"),
    ]),
    "",
  ],
  [
    "two owners that are both deleted",
    [maker("a"), maker("b")],
    fakeCluster([secret("s", owners("a", "b")), maker("a"), maker("b")]),
    "a: Secret shop/s; b: Secret shop/s",
  ],
  ["no owner", [maker("a")], fakeCluster([secret("s")]), ""],
  [
    "an identity that can't list them uses the usual names",
    [maker("a", "", "{secretName: tls}")],
    blind,
    "a: ConfigMap shop/a, ConfigMap shop/tls, Secret shop/a, Secret shop/tls",
  ],
])("products: %s", async (_name, deleted, cluster, expected) => {
  expect(await products(deleted, cluster)).toBe(expected);
});
