import { expect, test } from "vitest";
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

/** The severity of a webhook of a Service that rejects the Pods of a Deployment. */
function severities(service: string, pods: string): readonly string[] {
  const message = `Internal error occurred: failed calling webhook "guard.example.com": failed to call webhook: Post "https://${service}.shop.svc:443/?timeout=1s": no endpoints available for service "${service}"`;
  const planned = planOf({ declared });
  if (!planned.ok) throw new Error(JSON.stringify(planned.problems));
  const samplePods = new Map([[`apps:Deployment::shop/${pods}`, refused("other", 500, message)]]);
  const facts = { samplePods, upstreamChanges: [], upstreamDeletions: [] } as Partial<ClusterFacts>;
  const found = webhookDown({
    ...{ plan: planned.value, facts: facts as ClusterFacts },
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
