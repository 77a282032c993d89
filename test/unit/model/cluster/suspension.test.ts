import { expect, test } from "vitest";
import { mayStaySuspended } from "../../../../src/model/cluster/suspension.ts";

const cron = { kind: "CronJob", spec: {} };
const ignoring = (path: string) => ({
  kind: "Kustomization",
  metadata: { annotations: { "vs.axis-dev.io/ignore-changes": `spec.interval, ${path}` } },
});

test.each([
  ["a declared suspension", "create", { kind: "Job", spec: { suspend: true } }, true],
  ["a Job that another tool suspends", "create", { kind: "Job", spec: {} }, false],
  ["a new CronJob that another tool suspends", "create", cron, false],
  ["a CronJob that a user has suspended, and whose image changes", "update", cron, true],
  ["a field that the manifest leaves to other managers", "update", ignoring("spec.suspend"), true],
  [
    "another field that the manifest leaves to other managers",
    "update",
    ignoring("spec.path"),
    false,
  ],
])("%s", (_, action, desired, expected) => {
  expect(mayStaySuspended({ action, desired })).toBe(expected);
});
