import { expect, test } from "vitest";
import { serviceWithoutEndpoints } from "../../../../src/preflight/rules/service-without-endpoints.ts";
import { requirePlan } from "../../../support/plan/plan-text.ts";
import { findingsText, noFacts } from "./run-rule.ts";

const behindService = (selector: string, labels: string) => `
app/web:
  apiVersion: apps/v1
  kind: Deployment
  metadata: {name: web}
  spec: {selector: {matchLabels: {app: web}}, template: {metadata: {labels: ${labels}}, spec: {containers: [{name: web, image: "web:1"}]}}}
app/service: {apiVersion: v1, kind: Service, metadata: {name: web}, spec: {selector: ${selector}}}
`;

/** Returns the fixes of a Service that has no endpoints for some time. */
function fixesFor(before: string, declared: string): readonly string[] {
  const plan = requirePlan({ before, declared });
  const releases = { declared: new Set<string>() };
  const input = { plan, facts: noFacts, releases, placeOf: () => undefined };
  return serviceWithoutEndpoints(input).map(({ fix }) => fix);
}

const green = `
app/green:
  apiVersion: apps/v1
  kind: Deployment
  metadata: {name: green}
  spec: {replicas: COUNT, selector: {matchLabels: {app: green}}, template: {metadata: {labels: {app: green}}, spec: {containers: [{name: web, image: "web:1"}]}}}
`;

const selecting = (selector: string, kind: string, replicas = 2) => `
app/web:
  apiVersion: ${kind === "Job" ? "batch/v1" : "apps/v1"}
  kind: ${kind}
  metadata: {name: db}
  spec: {replicas: ${replicas}, selector: {matchLabels: {app: db}}, template: {metadata: {labels: {app: db}}, spec: {containers: [{name: db, image: "db:1"}]}}}
app/service: {apiVersion: v1, kind: Service, metadata: {name: db}, spec: {selector: ${selector}}}
`;

const podName = "statefulset.kubernetes.io/pod-name";

const podIndex = "apps.kubernetes.io/pod-index";

test.each([
  ["whose Pods keep their labels", "{app: web}", "{app: web, tier: front}", ""],
  [
    "whose Pods get other labels",
    "{app: web}",
    "{app: shop}",
    `warning: Service shop/web selects none of the new Pods
  It selects app=web, but no Pod template of this deployment has these labels. After the old Pods are deleted, it reaches no Pods`,
  ],
  [
    "that changes together with its Pods",
    "{app: web, tier: front}",
    "{app: web, tier: front}",
    `warning: Service shop/web has no endpoints until new Pods are ready
  Its selector changes together with the labels of the Pods, and no old Pod has app=web, tier=front. Until then, requests to it fail`,
  ],
  ["without a selector", "{}", "{app: shop}", ""],
])("a Service %s", (_, selector, labels, expected) => {
  const plan = requirePlan({
    before: behindService("{app: web}", "{app: web}"),
    declared: behindService(selector, labels),
  });
  expect(findingsText(serviceWithoutEndpoints, plan, {})).toBe(expected);
});

test("a Service keeps its endpoints if its Pods first have the labels of both selectors", () => {
  const [before, both] = ["{app: web}", "{app: web, tier: front}"];
  expect(fixesFor(behindService(before, before), behindService(both, both))).toEqual([
    "First deploy Pods that have both the old and the new labels (app=web, tier=front), and leave the selector unchanged. Change the selector in a later deployment. Or make sure that no one needs the Service until then",
  ]);
  expect(fixesFor(behindService(before, before), behindService(before, both))).toEqual([]);
  expect(fixesFor(behindService(before, both), behindService(both, both))).toEqual([]);
});

test("a Pod can't have two values of a label, so its Service first needs other Pods", () => {
  const web = behindService("{app: web}", "{app: web}");
  const switched = behindService("{app: green}", "{app: web}");
  const running = green.replace("COUNT", "2");
  const inSteps =
    "First deploy the new Pods in a Deployment with another name, keep the old Pods, and leave the selector unchanged. Change the selector and remove the old Pods in a later deployment. Or make sure that no one needs the Service until then";
  expect(fixesFor(web, switched + running)).toEqual([inSteps]);
  expect(fixesFor(web, web + running)).toEqual([]);
  expect(fixesFor(web + running, switched + running)).toEqual([]);
  expect(fixesFor(web + green.replace("COUNT", "0"), switched + running)).toEqual([inSteps]);
});

test("a Service that never selected Pods of this deployment has no finding", () => {
  const plan = requirePlan({
    before: behindService("{app: other}", "{app: web}"),
    declared: behindService("{app: other}", "{app: shop}"),
  });
  expect(findingsText(serviceWithoutEndpoints, plan, {})).toBe("");
});

test.each([
  ["StatefulSet", `{${podName}: db-0}`, true],
  ["StatefulSet", `{app: db, ${podName}: db-1}`, true],
  ["StatefulSet", `{app: db, ${podName}: db-2}`, false],
  ["StatefulSet", `{${podName}: other-0}`, false],
  ["StatefulSet", `{app: db, ${podIndex}: "1"}`, true],
  ["StatefulSet", `{app: db, ${podIndex}: "2"}`, false],
  ["StatefulSet", "{app: db, controller-revision-hash: db-abc}", true],
  ["StatefulSet", "{app: db, pod-template-hash: abc}", false],
  ["Deployment", "{app: db, pod-template-hash: abc}", true],
  ["Deployment", "{app: shop, pod-template-hash: abc}", false],
  ["Deployment", `{${podName}: db-0}`, false],
  ["DaemonSet", "{app: db, controller-revision-hash: abc}", true],
  ["Job", "{job-name: db}", true],
  ["Job", "{batch.kubernetes.io/job-name: other}", false],
])("a Service for a %s that now selects %s has endpoints: %s", (kind, selector, has) => {
  const plan = requirePlan({
    before: selecting("{app: db}", kind),
    declared: selecting(selector, kind),
  });
  const finding = findingsText(serviceWithoutEndpoints, plan, {});
  expect(finding === "" ? "" : "lost").toBe(has ? "" : "lost");
});

test("a Service loses its endpoints if its only Pod is scaled down", () => {
  const selector = `{${podName}: db-2}`;
  const plan = requirePlan({
    before: selecting(selector, "StatefulSet", 3),
    declared: selecting(selector, "StatefulSet", 2),
  });
  expect(findingsText(serviceWithoutEndpoints, plan, {})).toContain("selects none of the new Pods");
});
