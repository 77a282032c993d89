import { expect, test } from "vitest";
import type { Plan } from "../../../../src/model/plan/plan.ts";
import type { ClusterFacts } from "../../../../src/preflight/cluster-facts.ts";
import { webhookDown } from "../../../../src/preflight/rules/webhook-down.ts";
import { refused } from "../../../support/fake-cluster.ts";
import { planOf } from "../../../support/plan/plan-text.ts";

const workload = (name: string) =>
  `{apiVersion: apps/v1, kind: Deployment, metadata: {name: ${name}}, spec: {template: {metadata: {labels: {app: ${name}}}, spec: {containers: [{name: main, image: "a:1"}]}}}}`;
const declared = `
app/service: {apiVersion: v1, kind: Service, metadata: {name: guard}, spec: {selector: {app: guard}}}
app/guard: ${workload("guard")}
app/web: ${workload("web")}
`;

function severities(service: string, pods: string): readonly string[] {
  const planned = planOf({ declared });
  if (!planned.ok) throw new Error(JSON.stringify(planned.problems));
  return severitiesIn(planned.value, service, pods);
}

/** The severity of a webhook of a Service that rejects the Pods of a Deployment. */
function severitiesIn(plan: Plan, service: string, pods: string): readonly string[] {
  const message = `Internal error occurred: failed calling webhook "guard.example.com": failed to call webhook: Post "https://${service}.shop.svc:443/?timeout=1s": no endpoints available for service "${service}"`;
  const samplePods = new Map([[`apps:Deployment::shop/${pods}`, refused("other", 500, message)]]);
  const facts = { samplePods, upstreamChanges: [], upstreamDeletions: [] } as Partial<ClusterFacts>;
  const found = webhookDown({
    ...{ plan, facts: facts as ClusterFacts },
    ...{ releases: { declared: new Set() }, placeOf: () => undefined },
  });
  return found.map(({ severity }) => severity);
}

test("Pods that wait for a webhook of this deployment start later", () => {
  expect(severities("guard", "web")).toEqual(["warning"]);
});

test.each([
  ["a webhook of others", "other", "web"],
  ["a webhook that they serve themselves", "guard", "guard"],
])("Pods that %s rejects never start", (_, service, pods) => {
  expect(severities(service, pods)).toEqual(["error"]);
});

const configuration = (policy: string) =>
  `{apiVersion: admissionregistration.k8s.io/v1, kind: ValidatingWebhookConfiguration, metadata: {name: guard}, webhooks: [{name: guard.example.com, failurePolicy: ${policy}}]}`;

test.each([
  ["appSetup", "Ignore", "warning"],
  ["appSetup", "Fail", "error"],
  ["app", "Ignore", "error"],
])(
  "Pods of app are created after a webhook of %s that becomes %s: %s",
  (stage, policy, severity) => {
    const planned = planOf({
      declared: `app/web: ${workload("web")}\n${stage}/guard: ${configuration(policy)}\n`,
      before: `${stage}/guard: ${configuration("Fail")}\n`,
    });
    if (!planned.ok) throw new Error(JSON.stringify(planned.problems));
    expect(severitiesIn(planned.value, "other", "web")).toEqual([severity]);
  },
);
