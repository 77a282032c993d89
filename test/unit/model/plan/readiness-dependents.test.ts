import { expect, test } from "vitest";
import type { Change } from "../../../../src/model/plan/plan.ts";
import {
  findReadinessDependents,
  readinessDependents,
} from "../../../../src/model/plan/readiness-dependents.ts";
import { fakeCluster } from "../../../support/fake-cluster.ts";
import { planFrom } from "../../../support/plan/plan-from-text.ts";

test.each([
  ["nothing", "app create ConfigMap a\napp create ConfigMap b"],
  ["a dependent object", "app create ConfigMap a\napp create ConfigMap b after ConfigMap a"],
  ["a later stage", "appSetup create ConfigMap a\napp create ConfigMap b"],
  ["a deletion", "app create ConfigMap a\napp delete ConfigMap b"],
])("both functions agree if %s waits for an object", (_name, text) => {
  const plan = planFrom(fakeCluster(), text);
  const hasDependents = findReadinessDependents(plan);
  for (const change of plan.changes) {
    const { changes, deletions } = readinessDependents(plan, change);
    expect(hasDependents(change)).toBe(changes.length + deletions.length > 0);
  }
});

test("the plan is read once for all objects", () => {
  let reads = 0;
  const changes = Array.from({ length: 100 }, (_, index): Change => {
    const change = {
      key: String(index),
      stage: "app",
      action: "create",
      get after() {
        reads += 1;
        return [];
      },
    };
    return change as unknown as Change;
  });
  const hasDependents = findReadinessDependents({ changes, deletions: [] });
  expect(changes.filter(hasDependents)).toEqual([]);
  expect(reads).toBe(100);
});
