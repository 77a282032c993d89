import { expect, test } from "vitest";
import { anyNamespace } from "../../../../src/preflight/cluster-facts.ts";
import { stillReferenced } from "../../../../src/preflight/rules/still-referenced.ts";
import { liveFrom } from "../../../support/plan/live.ts";
import { requirePlan } from "../../../support/plan/plan-text.ts";
import { findingsText, namersFrom } from "./run-rule.ts";

const webhooks = (policy: string, namespace = "shop") =>
  `{apiVersion: admissionregistration.k8s.io/v1, kind: ValidatingWebhookConfiguration, metadata: {name: x}, webhooks: [{failurePolicy: ${policy}, clientConfig: {service: {name: gone, namespace: ${namespace}}}}]}`;

const bound = (namespace: string) =>
  `{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRoleBinding, metadata: {name: x}, roleRef: {kind: ClusterRole, name: y}, subjects: [{kind: ServiceAccount, name: gone, namespace: ${namespace}}]}`;

const consequence = ". The API server then denies each request that it must send to this Service";

test.each([
  [
    "{apiVersion: networking.k8s.io/v1, kind: Ingress, metadata: {name: x, namespace: shop}, spec: {rules: [{http: {paths: [{backend: {service: {name: gone}}}]}}]}}",
    "Service",
  ],
  [
    "{apiVersion: autoscaling/v2, kind: HorizontalPodAutoscaler, metadata: {name: x, namespace: shop}, spec: {scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: gone}}}",
    "Deployment",
  ],
  [
    "{apiVersion: rbac.authorization.k8s.io/v1, kind: RoleBinding, metadata: {name: x, namespace: shop}, roleRef: {kind: ClusterRole, name: y}, subjects: [{kind: ServiceAccount, name: gone}]}",
    "ServiceAccount",
  ],
  [
    "{apiVersion: keda.sh/v1alpha1, kind: ScaledJob, metadata: {name: x, namespace: shop}, spec: {jobTargetRef: {template: {spec: {containers: [{name: a, image: b, envFrom: [{configMapRef: {name: gone}}]}]}}}}}",
    "ConfigMap",
  ],
  [
    "{apiVersion: gateway.networking.k8s.io/v1, kind: HTTPRoute, metadata: {name: x, namespace: shop}, spec: {rules: [{backendRefs: [{name: gone}]}]}}",
    "Service",
  ],
])("%s refers to the deleted %s", (namer, kind) => {
  const apiVersion = kind === "Deployment" ? "apps/v1" : "v1";
  const before = `app/gone: {apiVersion: ${apiVersion}, kind: ${kind}, metadata: {name: gone}}\n`;
  const plan = requirePlan({ before, declared: "", allowDelete: ["everything"] });
  const found = findingsText(stillReferenced, plan, namersFrom(`[${namer}]`));
  expect(found).toContain(`warning: ${kind} shop/gone is deleted, but`);
});

test.each([
  ["webhooks", webhooks("Fail"), "Service", "ValidatingWebhookConfiguration x", consequence],
  ["optional references", webhooks("Ignore"), "Service", "ValidatingWebhookConfiguration x", ""],
  ["objects of another namespace", webhooks("Fail", "other"), "Service", "", ""],
  [
    "an APIService",
    "{apiVersion: apiregistration.k8s.io/v1, kind: APIService, metadata: {name: v1.x}, spec: {service: {name: gone, namespace: shop}}}",
    "Service",
    "APIService v1.x",
    consequence,
  ],
  ["a binding", bound("shop"), "ServiceAccount", "ClusterRoleBinding x", ""],
  ["a binding of another ServiceAccount", bound("other"), "ServiceAccount", "", ""],
])("%s across the cluster refer to a deleted object", (_, namer, kind, name, why) => {
  const before = `app/gone: {apiVersion: v1, kind: ${kind}, metadata: {name: gone}}\n`;
  const plan = requirePlan({ before, declared: "", allowDelete: ["everything"] });
  const namers = new Map([
    [anyNamespace, { known: true as const, value: [...liveFrom(`[${namer}]`).values()] }],
  ]);
  const expected = `warning: ${kind} shop/gone is deleted, but ${name} refers to it
  ${name} isn't part of this deployment${why}`;
  expect(findingsText(stillReferenced, plan, { referrers: namers })).toBe(
    name === "" ? "" : expected,
  );
});

test("a binding of this deployment refers to a deleted ServiceAccount and its namespace", () => {
  const binding = `app/bound: ${bound("shop")}\n`;
  const before = `${binding}app/gone: {apiVersion: v1, kind: ServiceAccount, metadata: {name: gone}}\n`;
  const plan = requirePlan({ before, declared: binding });
  expect(findingsText(stillReferenced, plan, {})).toContain(
    "ServiceAccount shop/gone is deleted, but ClusterRoleBinding x refers to it",
  );
});
