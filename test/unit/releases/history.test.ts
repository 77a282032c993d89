import { expect, test } from "vitest";
import type { ObjectResult, Release } from "../../../src/model/deployments/release.ts";
import {
  createReleaseHistory,
  emptyHistory,
} from "../../../src/model/deployments/release-history.ts";
import { objectHistory } from "../../../src/releases/history.ts";
import { finishRelease, pendingRelease } from "../../../src/releases/record.ts";
import { declare } from "../../support/plan/declare.ts";
import { planOf } from "../../support/plan/plan-text.ts";
import { release, releasesFrom } from "../../support/plan/release-from.ts";

const series = { group: "", kind: "ConfigMap", namespace: "shop", key: "k" };

test("the newest release with an object is its last declaration, whatever its status", () => {
  const { lastDeclared, newest } = objectHistory(
    createReleaseHistory(
      releasesFrom("3 failed declares: b\n1 succeeded declares: a b\n2 succeeded declares: a"),
    ),
  );
  expect(Object.fromEntries(lastDeclared)).toEqual({
    "core:ConfigMap::shop/a": 2,
    "core:ConfigMap::shop/b": 3,
  });
  expect(newest).toBe(3);
});

test("the history has the highest number of each series, and old records have none", () => {
  const revisions = [
    { ...series, revision: 4 },
    { ...series, key: "j", revision: 1 },
  ];
  const releases = [
    release(1, "succeeded"),
    { ...release(2, "failed"), revisions },
    { ...release(3, "succeeded"), revisions: [{ ...series, revision: 2 }] },
  ];
  expect(objectHistory(createReleaseHistory(releases)).revisions).toEqual([
    { ...series, key: "j", revision: 1 },
    { ...series, revision: 4 },
  ]);
});

const jobObject = (image: string) => ({
  apiVersion: "batch/v1",
  kind: "Job",
  metadata: { name: "j", namespace: "shop" },
  spec: { template: { spec: { containers: [{ name: "j", image }] } } },
});

/**
 * Returns a release of the Job with this image and result. Without an outcome, it has no result.
 */
function jobRelease(
  revision: number,
  status: Release["status"],
  image: string,
  [outcome, detail = ""]: readonly [ObjectResult["outcome"]?, string?],
): Release {
  const results = outcome === undefined ? [] : [{ key: "batch:Job::shop/j", outcome, detail }];
  const manifest = { stage: "app" as const, resource: "j", dependsOn: [] };
  const other = { key: "core:ConfigMap::shop/c", outcome: "unchanged" as const, detail: "" };
  return {
    ...release(revision, status),
    results: status === "pending" ? [] : [...results, other],
    expandedConfig: [{ ...manifest, object: jobObject(image) }],
  };
}

const done = jobRelease(1, "succeeded", "j:1", ["created"]);

test.each([
  { name: "a release that succeeded", releases: [done], image: "j:1" },
  {
    name: "a release that failed after the Job had completed",
    releases: [done, jobRelease(2, "failed", "j:2", ["replaced"])],
    image: "j:2",
  },
  {
    name: "a release that failed while the Job ran",
    releases: [done, jobRelease(2, "failed", "j:2", ["replaced", "not confirmed as ready"])],
  },
  {
    name: "a release in which it failed",
    releases: [done, jobRelease(2, "failed", "j:2", ["failed", "BackoffLimitExceeded"])],
  },
  { name: "a run that was killed", releases: [done, jobRelease(2, "pending", "j:2", [])] },
  {
    name: "a release that didn't reach it",
    releases: [done, jobRelease(2, "failed", "j:2", ["not attempted", "a failed"])],
    image: "j:1",
  },
  {
    name: "a release that didn't check it",
    releases: [done, jobRelease(2, "failed", "j:1", ["unchanged", "not checked"])],
    image: "j:1",
  },
  {
    name: "a release that didn't run it, because it had completed",
    releases: [done, jobRelease(2, "succeeded", "j:1", [])],
    image: "j:1",
  },
])("a Job completed last with the content of $name", ({ releases, image }) => {
  const { completedJobs } = objectHistory(createReleaseHistory(releases));
  expect([...completedJobs.values()]).toEqual(image === undefined ? [] : [jobObject(image)]);
});

/** Returns the revisions from which the next deployment counts. */
function recordedAfter(outcome: "created" | "failed" | "not attempted"): Release["revisions"] {
  const history = { ...objectHistory(emptyHistory), revisions: [{ ...series, revision: 6 }] };
  const declared = `app/a: {apiVersion: v1, kind: ConfigMap, metadata: {name: a, annotations: {vs.axis-dev.io/keepOnDelete: k}}}`;
  const plan = planOf({ declared, history });
  if (!plan.ok) throw new Error("no plan");
  const facts = release(2, "pending");
  const pending = pendingRelease(plan.value, emptyHistory, facts);
  expect(pending.revisions).toEqual([{ ...series, revision: 6 }]);
  const [object] = declare(declared);
  const results = [{ key: object?.key ?? "", outcome, detail: "" }];
  return finishRelease(pending, plan.value, { succeeded: false, results, finishedAt: "" })
    .revisions;
}

test("a number is used once its object was attempted", () => {
  expect(recordedAfter("created")).toEqual([{ ...series, revision: 7 }]);
  expect(recordedAfter("failed")).toEqual([{ ...series, revision: 7 }]);
  expect(recordedAfter("not attempted")).toEqual([{ ...series, revision: 6 }]);
});
