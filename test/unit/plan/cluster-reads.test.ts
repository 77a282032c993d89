import { expect, test } from "vitest";
import { listsToRead } from "../../../src/plan/cluster-reads.ts";
import { declare } from "../../support/plan/declare.ts";
import { inventoryFrom } from "../../support/plan/plan-text.ts";

test("qvs lists each kind and namespace once in each declared version", () => {
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
  const lines = listsToRead(declared, inventory).map(
    ({ apiVersion, kind, namespace }) => `${apiVersion} ${kind} ${namespace ?? "(cluster)"}`,
  );
  expect(lines).toEqual([
    "v1 ConfigMap other",
    "v1 ConfigMap shop",
    "v1 Namespace (cluster)",
    "v1 Secret shop",
    "autoscaling/v1 HorizontalPodAutoscaler shop",
    "autoscaling/v2 HorizontalPodAutoscaler shop",
    "networking.k8s.io/v1 Ingress shop",
  ]);
});
