import { expect, test } from "vitest";
import { nameTooLong } from "../../../../src/preflight/rules/name-too-long.ts";
import { planOf } from "../../../support/plan/plan-text.ts";
import { around } from "../rollout-plan.ts";

test.each([
  ["apps/v1", "DaemonSet", 242, 0],
  ["apps/v1", "DaemonSet", 243, 1],
  ["argoproj.io/v1alpha1", "Rollout", 242, 0],
  ["argoproj.io/v1alpha1", "Rollout", 246, 1],
  ["apps/v1", "Deployment", 253, 0],
  ["apps/v1", "Deployment", 242, 0, 33],
  ["apps/v1", "Deployment", 243, 1, 33],
  ["apps/v1", "Deployment", 253, 0, 34],
])(
  "a %s %s with a name of %i characters has %i findings because its Pods can't be created",
  (apiVersion, kind, length, count, minor = 36) => {
    const planned = planOf({
      declared: `
app/web:
  apiVersion: ${apiVersion}
  kind: ${kind}
  metadata: {name: ${"a".repeat(length)}, namespace: shop}
  spec: {selector: {matchLabels: {app: web}}, template: {metadata: {labels: {app: web}}, spec: {containers: [{name: web, image: "web:1"}]}}}
`,
    });
    if (!planned.ok) throw new Error(JSON.stringify(planned.problems));
    const found = nameTooLong({
      plan: planned.value,
      facts: { ...around(), server: { major: 1, minor } },
      timeoutMs: undefined,
      releases: { declared: new Set() },
      placeOf: () => undefined,
    });
    expect(found).toHaveLength(count);
  },
);
