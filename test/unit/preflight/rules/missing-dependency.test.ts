import { expect, test } from "vitest";
import { missingDependency } from "../../../../src/preflight/rules/missing-dependency.ts";
import { requirePlan } from "../../../support/plan/plan-text.ts";
import { container, findingFields, workload } from "./run-rule.ts";

test("a missing dependency is reported at the field that names it", () => {
  const declared = workload("Deployment", "").replace(
    "containers: [{name: web,",
    "containers: [{name: web, envFrom: [{configMapRef: {name: gone}}],",
  );
  const dependencies = new Map([
    ["core:ConfigMap::shop/gone", { known: true, value: { exists: false } } as const],
  ]);
  const plan = requirePlan({ declared });
  expect(findingFields(missingDependency, plan, { dependencies })).toBe(
    `${container}.envFrom.0.configMapRef`,
  );
});
