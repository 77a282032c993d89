import { expect, test } from "vitest";
import { imageNotPinned } from "../../../../src/preflight/rules/image-not-pinned.ts";
import { requirePlan } from "../../../support/plan/plan-text.ts";
import { container, findingFields, workload } from "./run-rule.ts";

test("an image without a version is reported at its container", () => {
  const plan = requirePlan({ declared: workload("Deployment", "", "web") });
  expect(findingFields(imageNotPinned, plan, {})).toBe(`${container}.image`);
});
