import { expect, test } from "vitest";
import { listsToRead } from "../../../src/plan/cluster-reads.ts";
import { declare } from "../../support/plan/declare.ts";
import { inventoryFrom } from "../../support/plan/plan-text.ts";

test("qvs lists each kind and namespace once in each declared version, and Namespaces by name", () => {
  const declared = declare(`
    app/a: {apiVersion: v1, kind: ConfigMap, metadata: {name: a}}
    app/b: {apiVersion: v1, kind: ConfigMap, metadata: {name: b}}
    app/c: {apiVersion: v1, kind: ConfigMap, metadata: {name: c, namespace: other}}
    app/n: {apiVersion: v1, kind: Namespace, metadata: {name: other}}
    app/i: {apiVersion: networking.k8s.io/v1, kind: Ingress, metadata: {name: i}}
    app/old: {apiVersion: autoscaling/v1, kind: HorizontalPodAutoscaler, metadata: {name: old}}
    app/new: {apiVersion: autoscaling/v2, kind: HorizontalPodAutoscaler, metadata: {name: new}}
  `);
  const inventory = inventoryFrom(`
    app/i: {apiVersion: networking.k8s.io/v1beta1, kind: Ingress, metadata: {name: i}}
    app/s: {apiVersion: v1, kind: Secret, metadata: {name: s}}
  `);
  const lines = listsToRead(declared, inventory).map(({ apiVersion, kind, namespace, name = "" }) =>
    `${apiVersion} ${kind} ${namespace ?? "(cluster)"} ${name}`.trimEnd(),
  );
  expect(lines).toEqual([
    "v1 ConfigMap other",
    "v1 ConfigMap shop",
    "v1 Namespace (cluster) other",
    "v1 Namespace (cluster) shop",
    "v1 Secret shop",
    "autoscaling/v1 HorizontalPodAutoscaler shop",
    "autoscaling/v2 HorizontalPodAutoscaler shop",
    "networking.k8s.io/v1 Ingress shop",
  ]);
});

test("qvs lists all Namespaces if a plan concerns many of them", () => {
  const declare5 = [1, 2, 3, 4, 5].map(
    (n) => `app/n${n}: {apiVersion: v1, kind: Namespace, metadata: {name: n${n}}}`,
  );
  const named = (count: number) =>
    listsToRead(declare(declare5.slice(0, count).join("\n")), []).map(({ name }) => name);
  expect(named(4)).toEqual(["n1", "n2", "n3", "n4"]);
  expect(named(5)).toEqual([undefined]);
});
