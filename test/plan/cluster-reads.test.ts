import { expect, test } from "vitest";
import { keyOf } from "../../src/model/object.ts";
import { listsToRead, placeToTry } from "../../src/plan/cluster-reads.ts";
import { declare } from "./declare.ts";
import { inventoryFrom } from "./plan-text.ts";

test("each kind and namespace is listed once, in the version that is declared now", () => {
  const declared = declare(`
    app/a: {apiVersion: v1, kind: ConfigMap, metadata: {name: a}}
    app/b: {apiVersion: v1, kind: ConfigMap, metadata: {name: b}}
    app/c: {apiVersion: v1, kind: ConfigMap, metadata: {name: c, namespace: other}}
    app/n: {apiVersion: v1, kind: Namespace, metadata: {name: other}}
    app/i: {apiVersion: networking.k8s.io/v1, kind: Ingress, metadata: {name: i}}
  `);
  const inventory = inventoryFrom(`
    app/i: {apiVersion: networking.k8s.io/v1beta1, kind: Ingress, metadata: {name: i}}
    app/s: {apiVersion: v1, kind: Secret, metadata: {name: s}}
  `);
  const lines = listsToRead(declared, inventory).map(
    ({ apiVersion, kind, namespace }) => `${apiVersion} ${kind} ${namespace ?? "(cluster)"}`,
  );
  expect(lines).toEqual([
    "v1 ConfigMap other",
    "v1 ConfigMap shop",
    "v1 Namespace (cluster)",
    "v1 Secret shop",
    "networking.k8s.io/v1 Ingress shop",
  ]);
});

const namespace = (name: string) =>
  `appSetup/ns: {apiVersion: v1, kind: Namespace, metadata: {name: ${name}}}`;
const config = "app/a: {apiVersion: v1, kind: ConfigMap, metadata: {name: a}}";

test.each([
  { of: "a namespace of releases that is there", declared: config, live: [], expected: "shop" },
  {
    of: "one that is declared and there",
    declared: namespace("shop"),
    live: ["shop"],
    expected: "shop",
  },
  { of: "one that only comes", declared: namespace("shop"), live: [], expected: "default" },
  { of: "another one that comes", declared: namespace("extra"), live: [], expected: "shop" },
])("what can't be dry-run yet is tried in $expected: $of", ({ declared, live, expected }) => {
  const objects = declare(`${declared}\n`);
  const there = new Map(
    live.map((name) => {
      const id = { group: "", kind: "Namespace", namespace: "", name };
      return [keyOf(id), { apiVersion: "v1", kind: "Namespace", metadata: { name } }];
    }),
  );
  expect(placeToTry({ objects }, there, { namespace: "shop" })).toBe(expected);
});
