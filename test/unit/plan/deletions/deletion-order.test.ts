import { expect, test } from "vitest";
import { parse } from "yaml";
import { idOf, type KubeObject, keyOf, nameOf } from "../../../../src/model/object.ts";
import { type Orphan, sortDeletions } from "../../../../src/plan/deletions/deletion-order.ts";

/** Creates an orphan without recorded edges. */
function orphan(yaml: string): Orphan {
  const live = parse(yaml) as KubeObject;
  const id = idOf(live);
  const entry = { id, apiVersion: live.apiVersion, stage: "app" as const, after: [] };
  return { key: keyOf(id), live, uid: id.name, entry };
}

const config = "{apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: shop}}";
const pods = "{spec: {containers: [{name: c, envFrom: [{configMapRef: {name: a}}]}]}}";

test.each([
  ["apps/v1", "Deployment", `{template: ${pods}}`],
  ["batch/v1", "CronJob", `{jobTemplate: {spec: {template: ${pods}}}}`],
])("an object that a %s %s names is deleted after it, even an orphan", (api, kind, spec) => {
  const metadata = "{name: web, namespace: shop}";
  const user = `{apiVersion: ${api}, kind: ${kind}, metadata: ${metadata}, spec: ${spec}}`;
  const deletions = sortDeletions([orphan(config), orphan(user)]);
  expect(deletions.map(({ id, after }) => [nameOf(id), after.map(({ reason }) => reason)])).toEqual(
    [
      [`${kind} shop/web`, []],
      ["ConfigMap shop/a", ["it depends on this: its Pods use this ConfigMap"]],
    ],
  );
});

test("the owner of an object that Pods use is deleted after the Pods, even if no release recorded it", () => {
  const owner = orphan(
    "{apiVersion: made.example/v1, kind: Maker, metadata: {name: m, namespace: shop}}",
  );
  const product = { group: "", kind: "ConfigMap", namespace: "shop", name: "a" };
  const products = { objects: [product], uids: new Set(["m"]) };
  const user = orphan(
    `{apiVersion: apps/v1, kind: Deployment, metadata: {name: web, namespace: shop}, spec: {template: ${pods}}}`,
  );
  const deletions = sortDeletions([{ ...owner, products }, user]);
  expect(deletions.map(({ id, after }) => [nameOf(id), after.map(({ reason }) => reason)])).toEqual(
    [
      ["Deployment shop/web", []],
      ["Maker shop/m", ["its Pods use the ConfigMap a, which this owns"]],
    ],
  );
});
