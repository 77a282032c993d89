import pLimit from "p-limit";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { createFreshReads } from "../../../../src/apply/deletion/read-workloads.ts";
import { usableObjects, usageReason } from "../../../../src/model/cluster/still-used.ts";
import { idOf, type KubeObject, keyOf } from "../../../../src/model/object.ts";
import type { Deletion } from "../../../../src/model/plan/deletion.ts";
import { fakeCluster } from "../../../support/fake-cluster.ts";

const kinds: Readonly<Record<string, string>> = {
  Maker: "made.example/v1",
  ReplicaSet: "apps/v1",
  Deployment: "apps/v1",
};

/**
 * Creates an object. `by` contains its owners, such as `Kind name`; the first one is the
 * controller.
 */
function object(kind: string, name: string, ...by: readonly string[]): KubeObject {
  const owners = by.map((owner, index) => {
    const [ofKind = "", called = ""] = owner.split(" ");
    const apiVersion = kinds[ofKind] ?? "v1";
    return { apiVersion, kind: ofKind, name: called, uid: called, controller: index === 0 };
  });
  const metadata = { name, namespace: "shop", uid: name, ownerReferences: owners };
  return { apiVersion: kinds[kind] ?? "v1", kind, metadata } as unknown as KubeObject;
}

const usesSecret = "{containers: [{name: a, envFrom: [{secretRef: {name: made}}]}]}";
const pod = (name: string, ...by: readonly string[]): KubeObject => ({
  ...object("Pod", name, ...by),
  spec: parse(usesSecret),
});
const template = (kind: string, name: string, ...by: readonly string[]): KubeObject => ({
  ...object(kind, name, ...by),
  spec: { template: { spec: parse(usesSecret) } },
});

const maker = object("Maker", "main");
const made = object("Secret", "made", "Maker main");

test.each<[string, readonly KubeObject[], string | undefined]>([
  ["its own Pod", [pod("p")], "Pod shop/p"],
  ["a Pod of the maker", [pod("p", "Maker main")], undefined],
  [
    "a Pod of the maker that another object owns too",
    [pod("p", "Maker main", "ConfigMap stays"), object("ConfigMap", "stays")],
    "Pod shop/p",
  ],
  [
    "a Pod of the maker and of an owner that no longer exists",
    [pod("p", "Maker main", "ConfigMap former")],
    undefined,
  ],
  [
    "the Pods of a Deployment of the maker",
    [
      template("Deployment", "d", "Maker main"),
      template("ReplicaSet", "r", "Deployment d"),
      pod("p", "ReplicaSet r"),
    ],
    undefined,
  ],
  [
    "the Pods of a Deployment of the maker, if another object owns the ReplicaSet too",
    [
      template("Deployment", "d", "Maker main"),
      template("ReplicaSet", "r", "Deployment d", "ConfigMap stays"),
      object("ConfigMap", "stays"),
      pod("p", "ReplicaSet r"),
    ],
    "Pod shop/p, ReplicaSet shop/r",
  ],
])(
  "the Secret that a deleted object has created is still used by: %s",
  async (_name, there, expected) => {
    const cluster = fakeCluster([maker, made, ...there]);
    const fresh = createFreshReads(cluster, pLimit(4));
    const planned = {
      ...{ key: keyOf(idOf(maker)), id: idOf(maker), stage: "app", apiVersion: maker.apiVersion },
      ...{ uid: "main", live: maker, after: [] },
    } as const satisfies Deletion;
    const deletion = await fresh.withProducts(planned, [planned]);
    const [usable] = usableObjects(deletion);
    const live = await fresh.workloads("shop");
    if (usable === undefined || !live.ok) throw new Error("the Secret can be used");
    expect(usageReason(deletion, usable, { live: live.value.active, remains: () => true })).toBe(
      expected && `it owns Secret shop/made, which is still used by ${expected}`,
    );
  },
);
