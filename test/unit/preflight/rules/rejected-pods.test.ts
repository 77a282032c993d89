import { expect, test } from "vitest";
import { invalidImage } from "../../../../src/preflight/rules/invalid-image.ts";
import { rejectedPods } from "../../../../src/preflight/rules/rejected-pods.ts";
import { refused } from "../../../support/fake-cluster.ts";
import { requirePlan } from "../../../support/plan/plan-text.ts";
import { findingsText, forbidden, nodesOf, rolling, tainted, workload } from "./run-rule.ts";

const invalid = (message: string) =>
  refused("invalid", 422, `Pod "web-x7k2p" is invalid: ${message}`);

const denied = (message: string) =>
  refused("forbidden", 403, `pods "web-x7k2p" is forbidden: ${message}`);

test.each([
  [
    "",
    invalid("spec.x: Forbidden"),
    "error: Deployment shop/web: the API server would reject its Pods\n  spec.x: Forbidden",
  ],
  ["", denied('violates PodSecurity "baseline:latest": hostNetwork'), "error"],
  // This deployment doesn't change the reason: the label is as before.
  [
    "app/ns: {apiVersion: v1, kind: Namespace, metadata: {name: shop}}",
    denied('violates PodSecurity "baseline:latest": hostNetwork'),
    "error",
  ],
  ["", denied("maximum cpu usage per Container is 1, but limit is 2"), "error"],
  [
    "app/limits: {apiVersion: v1, kind: LimitRange, metadata: {name: a}}",
    denied("maximum cpu usage per Container is 1, but limit is 2"),
    "error",
  ],
  [
    "app/limits: {apiVersion: v1, kind: LimitRange, metadata: {name: a}, spec: {limits: [{type: Container, default: {cpu: 1}}]}}",
    denied("failed quota: small: must specify requests.cpu for: web"),
    "",
  ],
  [
    "app/limits: {apiVersion: v1, kind: LimitRange, metadata: {name: a}, spec: {limits: [{type: Container, min: {cpu: 1}, default: {cpu: 4}}]}}",
    denied("failed quota: small: must specify limits.cpu for: web"),
    "error: Deployment shop/web: the API server would reject its Pods\n  minimum cpu usage per Container is 1, but request is 100m",
  ],
  ["", denied("failed quota: small: must specify requests.cpu for: web"), "error"],
  ["", denied("exceeded quota: small, requested: pods=1"), ""],
  ["", denied('error looking up service account shop/web: serviceaccount "web" not found'), ""],
  ["", denied("no PriorityClass with name high was found"), "error"],
  [
    "app/high: {apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: high}}",
    denied("no PriorityClass with name high was found"),
    "",
  ],
  [
    "",
    denied(
      "conflict: runtimeClass.scheduling.nodeSelector[pool] = b; pod.spec.nodeSelector[pool] = a",
    ),
    "error",
  ],
  [
    "",
    denied("pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead"),
    "error",
  ],
  [
    "",
    denied(
      "the integer value of priority (5) must not be provided in pod spec; priority admission controller computed 1000 from the given PriorityClass name",
    ),
    "error",
  ],
  ["", refused("forbidden", 403, 'admission webhook "w" denied the request: no'), "warning"],
  ["", refused("invalid", 400, 'admission webhook "w" does not support dry run'), ""],
  ["", refused("forbidden", 403, forbidden("create", "pods")), ""],
  ["", refused("other", 500, "Internal error"), ""],
])("next to %j, the API server rejects a Pod with %j", (others, answer, expected) => {
  const declared = `${workload("Deployment", rolling("1", "0"))}\n${others}`;
  const samplePods = new Map([["apps:Deployment::shop/web", answer]]);
  const found = findingsText(rejectedPods, requirePlan({ declared }), { samplePods });
  expect(expected.includes("\n") ? found : found.split(":")[0]).toBe(expected);
});

test("a rejection is a warning if the rollout waits for no Pod", () => {
  const declared = workload("Deployment", "paused: true");
  const samplePods = new Map([["apps:Deployment::shop/web", invalid("spec.x: Forbidden")]]);
  expect(findingsText(rejectedPods, requirePlan({ declared }), { samplePods })).toContain(
    "warning: ",
  );
});

test.each([
  [nodesOf("{}", tainted), "error"],
  [nodesOf(tainted), "warning"],
  [nodesOf(), "warning"],
  [{ known: false, why: "forbidden" } as const, "error"],
])("a rejection is a warning if a DaemonSet has no suitable node (%#)", (nodes, expected) => {
  const severityOf = (found: string) => found.split(":")[0];
  const declared = workload("DaemonSet", "").replaceAll("web:1", "Web:1");
  const samplePods = new Map([["apps:DaemonSet::shop/web", invalid("spec.x: Forbidden")]]);
  const plan = requirePlan({ declared });
  expect(severityOf(findingsText(rejectedPods, plan, { samplePods, nodes }))).toBe(expected);
  expect(severityOf(findingsText(invalidImage, plan, { nodes }))).toBe(expected);
});
