import { expect, test } from "vitest";
import type { ClusterFacts } from "../../../src/preflight/cluster-facts.ts";
import type { PreflightInput } from "../../../src/preflight/rule.ts";
import { rejectedPods } from "../../../src/preflight/rules/rejected-pods.ts";
import { serviceWithoutEndpoints } from "../../../src/preflight/rules/service-without-endpoints.ts";
import { refused } from "../../support/fake-cluster.ts";
import { planOf, type Situation } from "../../support/plan/plan-text.ts";

/** Tests the path of a finding's cause. A preview shows the line of that field. */
const deployment = (labels: string) => `
app/web:
  apiVersion: apps/v1
  kind: Deployment
  metadata: {name: web}
  spec: {replicas: 3, template: {metadata: {labels: ${labels}}, spec: {containers: [{name: web, image: "web:1"}]}}}
app/service: {apiVersion: v1, kind: Service, metadata: {name: web}, spec: {selector: {app: web}}}
`;

function inputOf(
  situation: Situation,
  samplePods: ClusterFacts["samplePods"] = new Map(),
): PreflightInput {
  const planned = planOf(situation);
  if (!planned.ok) throw new Error(JSON.stringify(planned.problems));
  const facts = {
    samplePods,
    upstreamChanges: [],
    upstreamDeletions: [],
  } as Partial<ClusterFacts> as ClusterFacts;
  const releases = { declared: new Set<string>() };
  return { plan: planned.value, facts, releases, placeOf: () => undefined };
}

test("a Service without Pods is reported at its selector", () => {
  const situation = { before: deployment("{app: web}"), declared: deployment("{app: shop}") };
  const found = serviceWithoutEndpoints(inputOf(situation));
  expect(found.map(({ path }) => path)).toEqual([["spec", "selector"]]);
});

const inTemplate = ["spec", "template", "spec"];
const cause = (field: string) => ({ field, reason: "FieldValueInvalid", message: "wrong" });

test.each([
  [
    "a field that Pods don't have",
    'strict decoding error: unknown field "spec.containers[0].ports[0].containerPrt"',
    [],
    [...inTemplate, "containers", "0", "ports", "0", "containerPrt"],
  ],
  [
    "a wrong value",
    'Pod "web-1" is invalid: wrong',
    [cause("spec.containers[0].image")],
    [...inTemplate, "containers", "0", "image"],
  ],
  [
    "two wrong values",
    'Pod "web-1" is invalid: wrong',
    [cause("spec.containers[0].image"), cause("spec.hostname")],
    undefined,
  ],
  ["no field", 'Pod "web-1" is invalid: wrong', [], undefined],
  ["a field outside the Pods", "wrong", [cause("metadata.labels")], undefined],
] as const)(
  "the rejection of every Pod because of %s is reported at the field",
  (_, message, causes, path) => {
    const answer = refused("invalid", 422, message, causes);
    const samplePods = new Map([["apps:Deployment::shop/web", answer]]);
    const found = rejectedPods(inputOf({ declared: deployment("{app: web}") }, samplePods));
    expect(found.map((each) => each.path)).toEqual([path]);
  },
);
