import { expect, test } from "vitest";
import { refused } from "../../../support/fake-cluster.ts";
import { planOf } from "../../../support/plan/plan-text.ts";

const configuration = (webhook: string, labels = "{}") =>
  `{apiVersion: admissionregistration.k8s.io/v1, kind: ValidatingWebhookConfiguration, metadata: {name: guard, labels: ${labels}}, webhooks: [${webhook}]}`;
const webhook = (policy: string) => `{name: guard.example.com, failurePolicy: ${policy}}`;
const settings = "{apiVersion: v1, kind: ConfigMap, metadata: {name: settings}}";
const message =
  'Internal error occurred: failed calling webhook "guard.example.com": failed to call webhook: Post "https://guard.shop.svc:443/?timeout=1s": service "guard" not found';
const isChanged =
  "ValidatingWebhookConfiguration guard, which decides whether it is allowed, is changed by this deployment";

/** Returns the certainty about a ConfigMap that the webhook rejects, or the codes of the errors. */
function certainty(before: string, declared: string): string {
  const answers = { "core:ConfigMap::shop/settings": refused("other", 500, message) };
  const planned = planOf({ before, declared, answers });
  if (!planned.ok) return planned.problems.map(({ code }) => code).join();
  const found = planned.value.changes.find(({ id }) => id.name === "settings")?.certainty;
  return found !== undefined && "reason" in found ? found.reason : (found?.by ?? "");
}

test.each([
  ["has another failurePolicy", configuration(webhook("Ignore")), isChanged],
  ["is removed from its configuration", configuration(""), isChanged],
  ["stays, and its configuration changes", configuration(webhook("Fail"), "{team: web}"), ""],
  ["doesn't change", configuration(webhook("Fail")), ""],
])("a webhook of appSetup that %s", (_, declared, reason) => {
  const before = `appSetup/guard: ${configuration(webhook("Fail"))}\n`;
  const plan = (stage: string) => `appSetup/guard: ${declared}\n${stage}/settings: ${settings}\n`;
  expect(certainty(before, plan("app"))).toBe(reason || "webhook-unavailable");
  // The webhook is the last object of appSetup.
  expect(certainty(before, plan("appSetup"))).toBe("webhook-unavailable");
});

const bound = `appSetup/policy: {apiVersion: admissionregistration.k8s.io/v1, kind: ValidatingAdmissionPolicy, metadata: {name: most}, spec: {paramKind: {apiVersion: v1, kind: ConfigMap}}}
appSetup/binding: {apiVersion: admissionregistration.k8s.io/v1, kind: ValidatingAdmissionPolicyBinding, metadata: {name: most}, spec: {policyName: most, paramRef: {name: limits, namespace: shop}}}
`;
const limits = (stage: string, most: number, name = "limits") =>
  `${stage}/limits: {apiVersion: v1, kind: ConfigMap, metadata: {name: ${name}}, data: {most: "${most}"}}\n`;

test.each([
  ["in appSetup", bound + limits("appSetup", 5), "ConfigMap shop/limits, which decides"],
  ["in app", bound + limits("app", 5), "admission-denied"],
  ["unchanged", bound + limits("appSetup", 2), "admission-denied"],
  ["another object", bound + limits("appSetup", 5, "others"), "admission-denied"],
])("a parameter of the policy that denies: %s", (_, declared, expected) => {
  const denial =
    "ValidatingAdmissionPolicy 'most' with binding 'most' denied request: failed expression: object.data.size <= params.data.most";
  const answers = { "core:ConfigMap::shop/settings": refused("invalid", 422, denial) };
  const before = `${bound}${limits("appSetup", 2)}`;
  const planned = planOf({ before, declared: `${declared}app/settings: ${settings}\n`, answers });
  if (!planned.ok) return expect(planned.problems.map(({ code }) => code)).toEqual([expected]);
  const found = planned.value.changes.find(({ id }) => id.name === "settings")?.certainty;
  return expect(JSON.stringify(found)).toContain(expected);
});

test("a webhook that is created has rejected nothing", () => {
  const declared = `appSetup/guard: ${configuration(webhook("Fail"))}\napp/settings: ${settings}\n`;
  expect(certainty("", declared)).toBe("webhook-unavailable");
});
