import { expect, test } from "vitest";
import { parse } from "yaml";
import type { Json } from "../../../../src/model/json.ts";
import { idOf, type KubeObject, keyOf } from "../../../../src/model/object.ts";
import type { Deletion } from "../../../../src/model/plan/deletion.ts";
import { diffDeletion } from "../../../../src/report/diff/live-diff.ts";
import { diffTextLines } from "../../../../src/report/diff/text-diff.ts";

const object = (text: string) => parse(text) as Json as KubeObject;

function shown(
  live: string,
  ours?: { sent: string; secretTexts?: readonly string[] },
  hides?: readonly string[],
) {
  const found = object(live);
  const deletion: Deletion = {
    key: keyOf(idOf(found)),
    id: idOf(found),
    stage: "app",
    apiVersion: "v1",
    uid: "u",
    live: found,
    after: [],
    ...(ours && { lastSent: { sent: object(ours.sent), secretValues: ours.secretTexts ?? [] } }),
  };
  return diffTextLines(diffDeletion(deletion, hides)).join("\n");
}

const settings = `
apiVersion: v1
kind: ConfigMap
metadata: {name: a, namespace: shop, uid: u, resourceVersion: "7"}
data: {level: debug, url: "db://root:hunter22@db", theirs: hunter33}
`;

test("a deleted object is shown with the live fields that this deployment owns", () => {
  const sent =
    "{apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: shop}, data: {level: info}}";
  expect(shown(settings, { sent })).toBe(`-apiVersion: v1
-kind: ConfigMap
-metadata:
-  name: a
-  namespace: shop
-data:
-  level: debug`);
});

test("a deleted object isn't shown if no release records the owned fields", () => {
  expect(shown(settings)).toBe("");
});

test("values from Secrets and hidden params are hidden", () => {
  const sent =
    "{apiVersion: v1, kind: ConfigMap, metadata: {name: a}, data: {url: '$(ref.db.data.url)', theirs: x}}";
  const text = shown(settings, { sent, secretTexts: ["db://root:hunter22@db"] }, ["hunter33"]);
  expect(text).not.toMatch(/hunter/);
  expect(text).toContain("-  url: (removed)");
});

test("the keys of a Secret are shown", () => {
  const secret =
    "{apiVersion: v1, kind: Secret, metadata: {name: a, namespace: shop}, data: {password: aHVudGVyMjI=}}";
  const text = shown(secret, { sent: secret });
  expect(text).toContain("-  password: (removed)");
  expect(text).not.toContain("aHVu");
});

test("a deleted object doesn't show a secret that someone else wrote", () => {
  const live =
    "{apiVersion: v1, kind: ConfigMap, metadata: {name: a}, data: {password: hunter44, level: debug}}";
  const sent =
    "{apiVersion: v1, kind: ConfigMap, metadata: {name: a}, data: {password: set-later, level: info}}";
  const text = shown(live, { sent });
  expect(text).toContain("-  level: debug");
  expect(text).toContain("-  password: (removed)");
});
