import { expect, test } from "vitest";
import { noUniqueName } from "../../../../src/preflight/rules/no-unique-name.ts";
import { requirePlan } from "../../../support/plan/plan-text.ts";
import { findingsText } from "./run-rule.ts";

const settings = (mode: string, policy = "") => `
app/settings:
  apiVersion: v1
  kind: ConfigMap
  metadata: {name: settings, annotations: {vs.axis-dev.io/keepOnDelete: settings${policy}}}
  data: {mode: ${mode}}
`;

test("a kept object whose content changes under its name is reported", () => {
  const plan = requirePlan({ before: settings("fast"), declared: settings("slow") });
  expect(findingsText(noUniqueName, plan, {})).toContain("its earlier content isn't kept");
});

test("an object that its chart keeps isn't reported, because it is kept for its data", () => {
  const policy = ", helm.sh/resource-policy: keep";
  const plan = requirePlan({
    before: settings("fast", policy),
    declared: settings("slow", policy),
  });
  expect(findingsText(noUniqueName, plan, {})).toBe("");
});
