import { expect, test } from "vitest";
import { parse } from "yaml";
import { describeRunningJob, replacedJobs } from "../../../../src/model/cluster/jobs.ts";
import { idOf, type KubeObject, keyOf } from "../../../../src/model/object.ts";
import type { Deletion } from "../../../../src/model/plan/deletion.ts";

const replace = '{vs.axis-dev.io/replace: "true"}';

function job(name: string, container = "main", annotations = "{}", namespace = "shop"): KubeObject {
  const metadata = `{name: ${name}, namespace: ${namespace}, annotations: ${annotations}}`;
  const spec = `{template: {spec: {containers: [{name: ${container}, image: "job:1"}]}}}`;
  return parse(`{apiVersion: batch/v1, kind: Job, metadata: ${metadata}, spec: ${spec}}`);
}

function deletionOf(live: KubeObject): Deletion {
  const id = idOf(live);
  const { apiVersion } = live;
  return { key: keyOf(id), id, stage: "app", apiVersion, uid: "u", live, after: [] };
}

test.each<[string, KubeObject, KubeObject, boolean]>([
  ["another number", job("migrate-1"), job("migrate-2", "other"), true],
  ["another version", job("migrate-v1-2-9"), job("migrate-v1-3-0", "other"), true],
  ["a version that it didn't have", job("migrate"), job("migrate-2"), true],
  ["another hash", job("migrate-5f9c1a"), job("migrate-77aa02"), true],
  ["another last part, the same containers", job("job-a"), job("job-b"), true],
  ["another last part, other containers", job("web-migrate", "m"), job("web-clean", "c"), false],
  ["another name", job("migrate-1"), job("clean-1"), false],
  ["another namespace", job("migrate-1"), job("migrate-2", "main", "{}", "other"), false],
  [
    "a new one with a flag to interrupt it",
    job("migrate-1"),
    job("migrate-2", "main", replace),
    false,
  ],
  ["an interruptible one", job("migrate-1", "main", replace), job("migrate-2"), false],
])("a Job replaces another one: %s", (_name, old, desired, expected) => {
  const found = replacedJobs({ id: idOf(desired), desired, action: "create" }, [deletionOf(old)]);
  expect(found.length > 0).toBe(expected);
});

test("an unchanged Job replaces no Job", () => {
  const desired = job("migrate-2");
  const change = { id: idOf(desired), desired, action: "unchanged" } as const;
  expect(replacedJobs(change, [deletionOf(job("migrate-1"))])).toEqual([]);
});

test("a running Job is described with its progress, images and start", () => {
  const live = {
    ...job("migrate-1"),
    status: { active: 1, failed: 2, startTime: "2026-01-01T00:00:00Z" },
  };
  expect(describeRunningJob(live)).toBe(
    "0/1 completed, 1 active, 2 failed, image job:1, since 2026-01-01T00:00:00Z",
  );
});
