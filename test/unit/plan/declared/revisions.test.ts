import { expect, test } from "vitest";
import type { HighestRevision } from "../../../../src/model/deployments/release.ts";
import { annotation, idOf, keyOf, nameOf } from "../../../../src/model/object.ts";
import { numberRevisions } from "../../../../src/plan/declared/revisions.ts";
import { declare, shown, text } from "../../../support/plan/declare.ts";
import { liveFrom } from "../../../support/plan/live.ts";

/** Compares the revision of every declared object, for the given live objects. */
function check(
  live: string,
  declared: string,
  expected: string,
  recorded: readonly HighestRevision[] = [],
): void {
  const numbered = numberRevisions(declare(declared), liveFrom(live), recorded);
  const lines = shown(numbered, (objects) =>
    objects
      .map(
        ({ object }) =>
          `${nameOf(idOf(object))}: ${annotation(object, "vs.axis-dev.io/revision") ?? "none"}`,
      )
      .join("\n"),
  );
  expect(lines).toBe(text(expected));
}

const kept = (key: string, revision?: string) =>
  `annotations: {vs.axis-dev.io/keepOnDelete: ${key}${revision === undefined ? "" : `, vs.axis-dev.io/revision: "${revision}"`}}`;

test("a new object follows the highest live revision of its key", () => {
  check(
    `
    - {apiVersion: v1, kind: ConfigMap, metadata: {name: sample-configmap-2ed2af4518, namespace: shop, ${kept("app-config", "1")}}}
    `,
    `
    app/config: {apiVersion: v1, kind: ConfigMap, metadata: {name: sample-configmap-308a0d0c4c, ${kept("app-config")}}}
    `,
    `
    ConfigMap shop/sample-configmap-308a0d0c4c: 2
    `,
  );
});

test("the first revision of a key is 1, and a live object without a number counts as 0", () => {
  check(
    `
    - {apiVersion: v1, kind: ConfigMap, metadata: {name: old, namespace: shop, ${kept("b")}}}
    `,
    `
    app/a: {apiVersion: v1, kind: ConfigMap, metadata: {name: a, ${kept("a")}}}
    app/b: {apiVersion: v1, kind: ConfigMap, metadata: {name: b, ${kept("b")}}}
    `,
    `
    ConfigMap shop/a: 1
    ConfigMap shop/b: 1
    `,
  );
});

test("an existing object keeps its revision, or its lack of one", () => {
  check(
    `
    - {apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: shop, ${kept("k", "3")}}}
    - {apiVersion: v1, kind: ConfigMap, metadata: {name: b, namespace: shop, ${kept("k", "7")}}}
    - {apiVersion: v1, kind: ConfigMap, metadata: {name: c, namespace: shop, ${kept("k")}}}
    `,
    `
    app/a: {apiVersion: v1, kind: ConfigMap, metadata: {name: a, ${kept("k")}}}
    app/c: {apiVersion: v1, kind: ConfigMap, metadata: {name: c, ${kept("k")}}}
    app/d: {apiVersion: v1, kind: ConfigMap, metadata: {name: d, ${kept("k")}}}
    `,
    `
    ConfigMap shop/a: 3
    ConfigMap shop/c: none
    ConfigMap shop/d: 8
    `,
  );
});

test("each kind, namespace and key has its own series", () => {
  check(
    `
    - {apiVersion: v1, kind: Secret, metadata: {name: a, namespace: shop, ${kept("k", "5")}}}
    - {apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: other, ${kept("k", "6")}}}
    - {apiVersion: v1, kind: ConfigMap, metadata: {name: b, namespace: shop, ${kept("j", "8")}}}
    - {apiVersion: v1, kind: ConfigMap, metadata: {name: c, namespace: shop, ${kept("k", "nonsense")}}}
    `,
    `
    app/n: {apiVersion: v1, kind: ConfigMap, metadata: {name: n, ${kept("k")}}}
    `,
    `
    ConfigMap shop/n: 1
    `,
  );
});

test("a used number isn't used again, even if no live object has it", () => {
  const declared = `app/n: {apiVersion: v1, kind: ConfigMap, metadata: {name: n, ${kept("k")}}}`;
  const series = { group: "", kind: "ConfigMap", namespace: "shop", key: "k" };
  check("[]", declared, "ConfigMap shop/n: 5", [{ ...series, revision: 4 }]);
  check("[]", declared, "ConfigMap shop/n: 1", [{ ...series, key: "other", revision: 4 }]);
});

test("an object that changes its key keeps its number, and new objects follow it", () => {
  check(
    `
    - {apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: shop, ${kept("before", "6")}}}
    `,
    `
    app/a: {apiVersion: v1, kind: ConfigMap, metadata: {name: a, ${kept("k")}}}
    app/n: {apiVersion: v1, kind: ConfigMap, metadata: {name: n, ${kept("k")}}}
    `,
    `
    ConfigMap shop/a: 6
    ConfigMap shop/n: 7
    `,
  );
});

test("an existing object that gets a key has no number and counts as 0", () => {
  check(
    `
    - {apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: shop}}
    `,
    `
    app/a: {apiVersion: v1, kind: ConfigMap, metadata: {name: a, ${kept("k")}}}
    app/n: {apiVersion: v1, kind: ConfigMap, metadata: {name: n, ${kept("k")}}}
    `,
    `
    ConfigMap shop/a: none
    ConfigMap shop/n: 1
    `,
  );
});

test("new objects are numbered by name, and objects without a key have no number", () => {
  check(
    `[]`,
    `
    app/z: {apiVersion: v1, kind: ConfigMap, metadata: {name: a, ${kept("k")}}}
    app/y: {apiVersion: v1, kind: ConfigMap, metadata: {name: b, ${kept("k")}}}
    app/x: {apiVersion: v1, kind: ConfigMap, metadata: {name: c}}
    `,
    `
    ConfigMap shop/a: 1
    ConfigMap shop/b: 2
    ConfigMap shop/c: none
    `,
  );
});

test("only the numbered object changes", () => {
  const [object] = declare(
    `app/a: {apiVersion: v1, kind: ConfigMap, metadata: {name: a, ${kept("k")}}, data: {x: y}}`,
  );
  if (object === undefined) throw new Error("nothing declared");
  const numbered = numberRevisions([object], new Map());
  const [first] = numbered.ok ? numbered.value : [];
  expect(first?.key).toBe(keyOf(object.id));
  expect(first?.object.data).toBe(object.object.data);
});
