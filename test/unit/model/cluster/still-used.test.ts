import { expect, test } from "vitest";
import { parseAllDocuments } from "yaml";
import {
  boundClaimReason,
  indexWorkloads,
  keptDependentReason,
  usableObjects,
  usageReason,
} from "../../../../src/model/cluster/still-used.ts";
import { idOf, type KubeObject, keyOf } from "../../../../src/model/object.ts";
import type { Deletion } from "../../../../src/model/plan/deletion.ts";

function objects(yaml: string): readonly KubeObject[] {
  return parseAllDocuments(yaml).map((document) => document.toJS() as KubeObject);
}

function deletion(yaml: string, more: Partial<Deletion> = {}): Deletion {
  const [live] = objects(yaml);
  if (live === undefined) throw new Error("the text contains an object");
  const { apiVersion } = live;
  const id = idOf(live);
  return { key: keyOf(id), id, stage: "app", apiVersion, uid: "u", live, after: [], ...more };
}

const user = (kind: string, name: string, spec: string, namespace = "shop") => `---
apiVersion: ${kind === "Pod" ? "v1" : "apps/v1"}
kind: ${kind}
metadata: {name: ${name}, namespace: ${namespace}}
spec: ${kind === "Pod" ? spec : `{template: {spec: ${spec}}}`}
`;
const naming = (kind: "configMapRef" | "secretRef", name: string) =>
  `{containers: [{envFrom: [{${kind}: {name: ${name}}}]}]}`;

const settings = "{apiVersion: v1, kind: ConfigMap, metadata: {name: settings, namespace: shop}}";
const uses = naming("configMapRef", "settings");
const revision = { prunedRevision: { key: "k", revision: "1" } };
const maker = (kind: string, namespace: string) =>
  `{apiVersion: made.example/v1, kind: ${kind}, metadata: {name: made${namespace}}}`;
const inShop = ", namespace: shop";

test.each<[string, Deletion, string, string, string | undefined]>([
  ["by no object", deletion(settings), user("Pod", "a", "{}"), "", undefined],
  ["by a Pod", deletion(settings), user("Pod", "a", uses), "", "still used by Pod shop/a"],
  ["in another namespace", deletion(settings), user("Pod", "a", uses, "other"), "", undefined],
  [
    "by several workloads, Pods first",
    deletion(settings),
    user("Deployment", "d", uses) + user("Pod", "a", uses),
    user("StatefulSet", "s", uses),
    "still used by Pod shop/a, StatefulSet shop/s, Deployment shop/d",
  ],
  [
    "by a live and declared workload",
    deletion(settings),
    user("Deployment", "d", uses),
    user("Deployment", "d", uses),
    "still used by Deployment shop/d",
  ],
  [
    "under several names",
    deletion(maker("Maker", inShop), revision),
    user("Pod", "a", naming("secretRef", "made")) +
      user("Pod", "b", naming("configMapRef", "made")),
    "",
    "still used by Pod shop/a, Pod shop/b",
  ],
  [
    "by an object in any namespace if it is cluster-scoped",
    deletion(maker("ClusterMaker", ""), revision),
    user("Pod", "a", naming("secretRef", "made"), "other"),
    "",
    "still used by Pod other/a",
  ],
  [
    "through its own object",
    deletion(maker("Maker", inShop), {
      products: {
        objects: [{ group: "", kind: "Secret", namespace: "shop", name: "made" }],
        uids: new Set(["u"]),
      },
    }),
    user("Pod", "a", naming("secretRef", "made")),
    "",
    "it owns Secret shop/made, which is still used by Pod shop/a",
  ],
])("an object is used %s", (_, deleted, live, planned, expected) => {
  const users = {
    live: indexWorkloads(objects(live)),
    planned: indexWorkloads(objects(planned)),
    remains: () => true,
  };
  const found = usableObjects(deleted).map((usable) => usageReason(deleted, usable, users));
  expect(found).toEqual([expected]);
});

test("a deleted workload uses nothing", () => {
  const deleted = deletion(settings);
  const live = indexWorkloads(objects(user("Pod", "a", uses) + user("Pod", "b", uses)));
  const remains = ({ metadata }: KubeObject) => metadata.name === "b";
  const [usable] = usableObjects(deleted);
  expect(usable && usageReason(deleted, usable, { live, remains })).toBe(
    "still used by Pod shop/b",
  );
});

test("a kept object keeps its dependencies", () => {
  const on = "core:ConfigMap::shop/other";
  const deleted = deletion(settings, { after: [{ on, reason: "test" }] });
  expect(keptDependentReason(deleted, () => false)).toBeUndefined();
  expect(keptDependentReason(deleted, (key) => key === on)).toBe(
    "ConfigMap shop/other depends on it and is kept",
  );
});

test("a PersistentVolumeClaim keeps its volume until the claim is deleted", () => {
  const volume =
    "{apiVersion: v1, kind: PersistentVolume, metadata: {name: disk}, spec: {claimRef: {namespace: shop, name: data}}, status: {phase: Bound}}";
  const deleted = deletion(volume);
  const after = [{ on: "core:PersistentVolumeClaim::shop/data", reason: "test" }];
  expect(boundClaimReason(deleted.live, deleted)).toBe(
    "PersistentVolumeClaim shop/data is bound to it",
  );
  expect(boundClaimReason(deleted.live, { after })).toBeUndefined();
});
