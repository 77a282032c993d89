import { expect, test } from "vitest";
import { computeFindings } from "../../../../src/preflight/compute-findings.ts";
import { notAwaited } from "../../../../src/preflight/rules/not-awaited.ts";
import { requirePlan } from "../../../support/plan/plan-text.ts";
import { findingsText, noFacts } from "./run-rule.ts";

const deployment = (wait: string, image = "web:1") => `
app/web:
  apiVersion: apps/v1
  kind: Deployment
  metadata: {name: web, annotations: {vs.axis-dev.io/wait: "${wait}"}}
  spec:
    selector: {matchLabels: {app: web}}
    template: {metadata: {labels: {app: web}}, spec: {containers: [{name: web, image: "${image}"}]}}
`;

const settings = `
app/settings:
  apiVersion: v1
  kind: ConfigMap
  metadata: {name: settings, annotations: {vs.axis-dev.io/wait: "false"}}
`;

test("a changed object that isn't awaited is reported", () => {
  const plan = requirePlan({ declared: deployment("false") });
  expect(findingsText(notAwaited, plan, {})).toBe(
    `note: Deployment shop/web: the deployment doesn't wait until it is ready
  Its annotation vs.axis-dev.io/wait is "false". The objects that depend on it, and the deletions, follow as soon as it is written`,
  );
});

test("awaited and unchanged objects, and those without a status, aren't reported", () => {
  const plans = [
    requirePlan({ declared: deployment("true") }),
    requirePlan({ before: deployment("false"), declared: deployment("false") }),
    requirePlan({ declared: settings }),
  ];
  for (const plan of plans) expect(findingsText(notAwaited, plan, {})).toBe("");
});

test.each([
  ["true", "error"],
  ["false", "warning"],
])("with wait %s, an image that no node can parse is an %s", (wait, severity) => {
  const plan = requirePlan({ declared: deployment(wait, "Web:1") });
  const releases = { declared: new Set<string>() };
  const found = computeFindings({ plan, facts: noFacts, releases, placeOf: () => undefined });
  const image = found.find(({ code }) => code === "invalid-image");
  expect(image?.severity).toBe(severity);
});
