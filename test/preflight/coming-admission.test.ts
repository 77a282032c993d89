import { expect, test } from "vitest";
import { comingAdmission } from "../../src/preflight/rules/coming-admission.ts";
import { planOf } from "../plan/plan-text.ts";
import { around } from "./rollout-plan.ts";

const policy = (of: string, more = "") => `
  apiVersion: admissionregistration.k8s.io/v1
  kind: ValidatingAdmissionPolicy
  metadata: {name: teams}
  spec:
    failurePolicy: Fail
    matchConstraints: {resourceRules: [{apiGroups: [${of.includes("/") ? "apps" : '""'}], apiVersions: [v1], operations: [CREATE], resources: [${of.replace("apps/", "")}]}]${more}}
    validations: [{expression: "false"}]
`;
const binding = (action: string, more = "") => `
  apiVersion: admissionregistration.k8s.io/v1
  kind: ValidatingAdmissionPolicyBinding
  metadata: {name: teams}
  spec: {policyName: teams, validationActions: [${action}]${more}}
`;
const webhook = (of: string, failurePolicy: string, service = "guard") => `
  apiVersion: admissionregistration.k8s.io/v1
  kind: ValidatingWebhookConfiguration
  metadata: {name: guard}
  webhooks:
    - name: guard.example.com
      failurePolicy: ${failurePolicy}
      clientConfig: {service: {namespace: shop, name: ${service}}}
      rules: [{apiGroups: ["*"], apiVersions: ["*"], operations: ["*"], resources: [${of}]}]
`;
const shop = `
app/web:
  apiVersion: apps/v1
  kind: Deployment
  metadata: {name: web}
  spec: {selector: {matchLabels: {app: web}}, template: {metadata: {labels: {app: web}}, spec: {containers: [{name: web, image: "web:1"}]}}}
app/guard: {apiVersion: v1, kind: Service, metadata: {name: guard}, spec: {selector: {app: web}, ports: [{port: 443}]}}
`;

function found(declared: string): readonly string[] {
  const planned = planOf({ declared });
  if (!planned.ok) throw new Error(JSON.stringify(planned.problems));
  return comingAdmission({
    plan: planned.value,
    facts: around(),
    timeoutMs: undefined,
    releases: { declared: new Set() },
    placeOf: () => undefined,
  }).map(({ severity, what }) => `${severity}: ${what}`);
}

test.each<[string, string, readonly string[]]>([
  [
    "a policy about Pods, which a Deployment makes",
    `appSetup/p: ${policy("pods")}`,
    [
      "warning: ValidatingAdmissionPolicy teams decides about Deployment shop/web, and nobody can ask it before it is there",
    ],
  ],
  [
    "a policy and its binding: that one decides",
    `appSetup/p: ${policy("pods")}appSetup/b: ${binding("Deny")}`,
    [
      "warning: ValidatingAdmissionPolicyBinding teams decides about Deployment shop/web, and nobody can ask it before it is there",
    ],
  ],
  ["one that only warns", `appSetup/p: ${policy("pods")}appSetup/b: ${binding("Warn")}`, []],
  ["a policy about something else", `appSetup/p: ${policy("secrets")}`, []],
  [
    "a policy about Deployments",
    `appSetup/p: ${policy("apps/deployments")}`,
    [
      "warning: ValidatingAdmissionPolicy teams decides about Deployment shop/web, and nobody can ask it before it is there",
    ],
  ],
  [
    "one that selects another namespace",
    `appSetup/p: ${policy("pods", ", namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: other}}")}`,
    [],
  ],
  ["a policy of app comes after everything else of it", `app/p: ${policy("pods")}`, []],
  [
    "a webhook that is asked about its own Pods before they can be there",
    `appSetup/w: ${webhook("pods", "Fail")}`,
    [
      "error: ValidatingWebhookConfiguration guard refuses Deployment shop/web: what serves it comes only after it",
    ],
  ],
  [
    "one that lets everything through while nobody answers",
    `appSetup/w: ${webhook("pods", "Ignore")}`,
    [
      "warning: ValidatingWebhookConfiguration guard decides about Deployment shop/web, and nobody can ask it before it is there",
    ],
  ],
  [
    "one that others serve",
    `appSetup/w: ${webhook('"*"', "Fail", "other")}`,
    [
      "warning: ValidatingWebhookConfiguration guard decides about Deployment shop/web, Service shop/guard, and nobody can ask it before it is there",
    ],
  ],
  ["a webhook about other kinds", `appSetup/w: ${webhook("secrets", "Fail")}`, []],
])("%s", (_, admission, expected) => {
  expect(found(`${shop}${admission}`)).toEqual(expected);
});
