import { expect, test } from "vitest";
import { parse } from "yaml";
import type { KubeObject } from "../../src/model/object.ts";
import { autoscaledKeys, handOversOf } from "../../src/plan/hand-overs.ts";

const web = (manager: string, subresource: string): KubeObject =>
  parse(`
apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
  namespace: shop
  managedFields:
    - manager: ${manager}
      operation: Update
      subresource: "${subresource}"
      fieldsV1: {"f:spec": {"f:replicas": {}}}
`);

const scaler = (target: string): KubeObject =>
  parse(`
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {name: scaler, namespace: shop}
spec: {scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: ${target}}}
`);

test.each<[name: string, live: KubeObject, others: readonly KubeObject[], expected: string]>([
  ["what an autoscaler has set", web("kube-controller-manager", "scale"), [], "spec.replicas"],
  [
    "a number that was set by hand under one",
    web("kubectl", "scale"),
    [scaler("web")],
    "spec.replicas",
  ],
  ["a number set by hand without one is in dispute", web("kubectl", "scale"), [], ""],
  ["an autoscaler of something else", web("kubectl", "scale"), [scaler("api")], ""],
  ["who edits the object itself", web("kubectl-edit", ""), [scaler("web")], ""],
])("%s", (_, live, others, expected) => {
  const paths = handOversOf(live, autoscaledKeys(others)).map(({ path }) => path.text);
  expect(paths.join()).toBe(expected);
});
