import { expect, test } from "vitest";
import { parse } from "yaml";
import type { Plan } from "../../../../src/model/plan/plan.ts";
import { rolloutPaused } from "../../../../src/preflight/rules/rollout-paused.ts";
import { requirePlan } from "../../../support/plan/plan-text.ts";
import { counting, findingsText } from "./run-rule.ts";

test.each<[string, string, string, string | undefined, string, string]>([
  [
    "its manifest pauses it",
    "apps/v1",
    "Deployment",
    "paused: true",
    "{}",
    `note: Deployment shop/web is paused, and its Pods keep the old template until it is resumed
  Its manifest sets spec.paused: true. The deployment doesn't wait for new Pods`,
  ],
  [
    "a user has paused it",
    "apps/v1",
    "Deployment",
    undefined,
    "{f:spec: {f:paused: {}}}",
    `warning: Deployment shop/web is paused, and this deployment waits for it
  spec.paused is set in the cluster by kubectl-rollout since 2026-11-19T09:30:00Z, but isn't declared. The deployment waits until it is resumed, and fails after --timeout`,
  ],
  [
    "an unknown manager has paused it",
    "argoproj.io/v1alpha1",
    "Rollout",
    undefined,
    "{}",
    `warning: Rollout shop/web is paused, and this deployment waits for it
  spec.paused is set in the cluster, but isn't declared. The deployment waits until it is resumed, and fails after --timeout`,
  ],
])("the Pods don't get a new template if %s", (_, version, kind, declared, owned, expected) => {
  const more = ["replicas: 2", ...(declared === undefined ? [] : [declared])].join(", ");
  const before = counting(version, kind, "replicas: 2", "web:1");
  const now = requirePlan({ before, declared: counting(version, kind, more, "web:2") });
  const owner = { manager: "kubectl-rollout", operation: "Update", time: "2026-11-19T09:30:00Z" };
  const paused = (image: string) => {
    const changes = now.changes.map((change) => ({
      ...change,
      live: change.live && {
        ...change.live,
        metadata: {
          ...change.live.metadata,
          managedFields: [{ ...owner, fieldsV1: parse(owned) }],
        },
      },
      predicted: JSON.parse(
        JSON.stringify(change.desired)
          .replace('"spec":{', '"spec":{"paused":true,')
          .replace("web:2", image),
      ),
    }));
    return findingsText(rolloutPaused, { ...now, changes } as Plan, {});
  };
  expect(paused("web:2")).toBe(expected);
  expect(paused("web:1")).toBe(declared === undefined ? expected : "");
});

test("a Deployment that is created paused makes no Pods", () => {
  const plan = requirePlan({
    declared: counting("apps/v1", "Deployment", "paused: true", "web:1"),
  });
  expect(findingsText(rolloutPaused, plan, {})).toContain(
    "is paused, and creates no Pods until it is resumed",
  );
});
