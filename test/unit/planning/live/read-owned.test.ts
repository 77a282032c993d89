import { expect, test } from "vitest";
import { parse } from "yaml";
import { idOf, type KubeObject, keyOf, nameOf } from "../../../../src/model/object.ts";
import { readOwned } from "../../../../src/planning/live/read-owned.ts";
import type { Cluster } from "../../../../src/ports/kubernetes.ts";
import { fakeCluster, refused } from "../../../support/fake-cluster.ts";

const object = (yaml: string): KubeObject => parse(yaml);
const owner = (uid: string, name: string, kind = "ConfigMap") =>
  `{apiVersion: v1, kind: ${kind}, name: ${name}, uid: ${uid}}`;
const claim = object(
  "{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: data, namespace: shop, uid: c}}",
);
const set = object(
  "{apiVersion: apps/v1, kind: StatefulSet, metadata: {name: pg, namespace: shop, uid: s}}",
);
const database = object(
  "{apiVersion: db.example/v1, kind: Database, metadata: {name: main, namespace: shop, uid: d}}",
);
const stateful = (whenDeleted: string) =>
  object(
    `{apiVersion: apps/v1, kind: StatefulSet, metadata: {name: db, namespace: shop, uid: b}, spec: {persistentVolumeClaimRetentionPolicy: {whenDeleted: ${whenDeleted}}, volumeClaimTemplates: [{}]}}`,
  );
const config = object(
  "{apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: shop, uid: a}}",
);
const other = object(
  "{apiVersion: v1, kind: ConfigMap, metadata: {name: o, namespace: shop, uid: o}}",
);
const shared = (...owners: readonly string[]) =>
  object(
    `{apiVersion: v1, kind: Secret, metadata: {name: s, namespace: shop, uid: x, ownerReferences: [${owners.join(", ")}]}}`,
  );

async function read(doomed: readonly KubeObject[], live: readonly KubeObject[], cluster: Cluster) {
  const byKey = new Map([...doomed, ...live].map((one) => [keyOf(idOf(one)), one]));
  const found = await readOwned(cluster, doomed, byKey, 4);
  return [
    ...found.objects.map((one) => nameOf(idOf(one))).toSorted(),
    ...[...found.owners].map((uid) => `owner ${uid}`),
    ...[...found.unread].map(([namespace, why]) => `${namespace}: ${why}`),
  ].join(", ");
}

const listed = () => fakeCluster([claim, set, other]);
const blind: Cluster = {
  ...fakeCluster([]),
  listMetadata: async () => refused("forbidden", 403, "no claims for you"),
  read: async () => refused("forbidden", 403, "nor anything"),
};

test.each<[string, readonly KubeObject[], readonly KubeObject[], Cluster, string]>([
  ["nothing is read if nothing is deleted", [], [], listed(), ""],
  ["a kind without claims deletes none", [config], [], listed(), ""],
  ["a StatefulSet that retains them needs no read", [stateful("Retain")], [], listed(), ""],
  [
    "the claims that a StatefulSet deletes",
    [stateful("Delete")],
    [],
    listed(),
    "PersistentVolumeClaim shop/data",
  ],
  [
    "the PersistentVolumeClaims that a custom resource might own, and its other objects",
    [database],
    [],
    listed(),
    "PersistentVolumeClaim shop/data, StatefulSet shop/pg",
  ],
  ["the reason why they are unknown", [database], [], blind, "shop: no claims for you"],
  [
    "another owner that exists",
    [config],
    [shared(owner("a", "a"), owner("o", "o"))],
    listed(),
    "owner o",
  ],
  [
    "another owner that no longer exists",
    [config],
    [shared(owner("a", "a"), owner("g", "g"))],
    listed(),
    "",
  ],
  [
    "another owner with the same name",
    [config],
    [shared(owner("a", "a"), owner("old", "o"))],
    listed(),
    "",
  ],
  [
    "another owner that is unreadable",
    [config],
    [shared(owner("a", "a"), owner("o", "o"))],
    blind,
    "",
  ],
  [
    "objects without a deleted owner aren't read",
    [config],
    [shared(owner("o", "o"))],
    listed(),
    "",
  ],
])(
  "qvs reads the objects that are also deleted: %s",
  async (_, doomed, live, cluster, expected) => {
    expect(await read(doomed, live, cluster)).toBe(expected);
  },
);
