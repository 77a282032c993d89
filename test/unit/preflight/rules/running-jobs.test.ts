import { expect, test } from "vitest";
import { parse } from "yaml";
import { runningJobs } from "../../../../src/preflight/rules/running-jobs.ts";
import { requirePlan } from "../../../support/plan/plan-text.ts";
import { findingsText } from "./run-rule.ts";

test.each([
  [
    "{active: [{kind: Job, namespace: shop, name: backup-1}]}",
    "warning: CronJob shop/backup is deleted, which interrupts Job shop/backup-1\n  It started this work, which hasn't ended. The deployment doesn't wait for it",
  ],
  ["{lastScheduleTime: '2026-01-01T00:00:00Z'}", ""],
])("a deleted CronJob with the status %s", (status, expected) => {
  const before = "app/backup: {apiVersion: batch/v1, kind: CronJob, metadata: {name: backup}}";
  const plan = requirePlan({ before, declared: "", allowDelete: ["everything"] });
  const deletions = plan.deletions.map((each) => ({
    ...each,
    live: { ...each.live, status: parse(status) },
  }));
  expect(findingsText(runningJobs, { ...plan, deletions }, {})).toBe(expected);
});
