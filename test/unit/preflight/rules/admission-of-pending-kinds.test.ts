import { expect, test } from "vitest";
import { parseAllDocuments } from "yaml";
import type { KubeObject } from "../../../../src/model/object.ts";
import { admissionOfPendingKinds } from "../../../../src/preflight/rules/admission-of-pending-kinds.ts";
import { planOf } from "../../../support/plan/plan-text.ts";
import { around } from "../rollout-plan.ts";

const declared = `
app/definition:
  apiVersion: apiextensions.k8s.io/v1
  kind: CustomResourceDefinition
  metadata: {name: lamps.example.com}
  spec: {group: example.com, names: {kind: Lamp, plural: lamps}, scope: Namespaced, versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}}]}
app/one: {apiVersion: example.com/v1, kind: Lamp, metadata: {name: one}, spec: {watts: 5}}
app/plain: {apiVersion: v1, kind: ConfigMap, metadata: {name: plain}}
`;

const rules = (group: string) =>
  `[{apiGroups: ["${group}"], apiVersions: ["*"], operations: [CREATE], resources: ["*"]}]`;
const webhook = (group: string) => `
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata: {name: guard}
webhooks: [{name: guard.example.com, rules: ${rules(group)}}]
`;
const policy = (expression: string, { type = "Validating", bound = "limit" } = {}) => `
apiVersion: admissionregistration.k8s.io/v1
kind: ${type}AdmissionPolicy
metadata: {name: limit}
spec: {matchConstraints: {resourceRules: ${rules("*")}}, validations: [{expression: "${expression}"}]}
---
apiVersion: admissionregistration.k8s.io/v1
kind: ${type}AdmissionPolicyBinding
metadata: {name: limit}
spec: {policyName: ${bound}, ${type === "Validating" ? "validationActions: [Deny]" : ""}}
`;

function found(there: string): readonly string[] {
  const planned = planOf({ declared });
  if (!planned.ok) throw new Error(JSON.stringify(planned.problems));
  const admission = parseAllDocuments(there).map((each) => each.toJS() as KubeObject);
  return admissionOfPendingKinds({
    plan: planned.value,
    facts: { ...around(), admissionObjects: admission },
    timeoutMs: undefined,
    releases: { declared: new Set() },
    placeOf: () => undefined,
    purpose: "preview",
  }).map(({ what }) => what);
}

const decides = (what: string) => [
  `Lamp shop/one can't be checked by ${what} before the kind exists`,
];

test.each<[string, string, readonly string[]]>([
  ["a webhook of all kinds", webhook("*"), decides("ValidatingWebhookConfiguration guard")],
  ["a webhook of other kinds", webhook("apps"), []],
  [
    "a policy that denies the declared objects",
    policy("object.spec.watts < 5"),
    decides("ValidatingAdmissionPolicy limit"),
  ],
  ["a policy that allows the declared objects", policy("object.spec.watts < 6"), []],
  [
    "a policy that depends on the user",
    policy("request.userInfo.username == 'ann'"),
    decides("ValidatingAdmissionPolicy limit"),
  ],
  ["a policy without a binding", policy("false", { bound: "other" }), []],
  ["a policy that limits an identity to previews", policy("request.dryRun"), []],
  [
    "a policy that changes objects",
    policy("true", { type: "Mutating" }),
    decides("MutatingAdmissionPolicy limit"),
  ],
])("%s", (_, there, expected) => {
  expect(found(there)).toEqual(expected);
});
