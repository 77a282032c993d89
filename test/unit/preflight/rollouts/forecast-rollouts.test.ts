import { expect, test } from "vitest";
import type { Release } from "../../../../src/model/deployments/release.ts";
import {
  createReleaseHistory,
  emptyHistory,
} from "../../../../src/model/deployments/release-history.ts";
import type { JsonObject } from "../../../../src/model/json.ts";
import type { Plan } from "../../../../src/model/plan/plan.ts";
import { forecastRollouts } from "../../../../src/preflight/rollouts/forecast-rollouts.ts";
import {
  daemonSet,
  deployment,
  type Fields,
  rollout,
  statefulSet,
  type WorkloadOptions,
} from "../../../support/rollout-pieces.ts";
import { changeOf } from "../rollout-plan.ts";

interface Before {
  readonly replicas?: number;
  readonly ready?: number;
  readonly version?: number;
}

/** Returns `LEAST of REPLICAS, +MORE, WAVES`; "" without a forecast. */
function forecast(
  make: (options: WorkloadOptions) => Fields,
  options: WorkloadOptions,
  { replicas = options.replicas ?? 3, ready = replicas, version = 1 }: Before = {},
): string {
  const isDaemon = make === daemonSet;
  const status: JsonObject = isDaemon
    ? { desiredNumberScheduled: replicas, numberReady: ready, updatedNumberScheduled: replicas }
    : { replicas, readyReplicas: ready, updatedReplicas: replicas, stableRS: "h1" };
  const before = { ...make({ ...options, replicas, version }), status };
  const live = { ...before, metadata: { name: "web", uid: "web" } };
  const change = changeOf(make({ ...options, version: 2 }), live);
  const plan = { changes: [change], deletions: [] } as unknown as Plan;
  return forecastRollouts(plan, emptyHistory)
    .map((each) => `${each.leastReady} of ${each.replicas}, +${each.morePods}, ${each.waves}`)
    .join("; ");
}

const sizes = (replicas: number, surge: number | string, unavailable: number | string) => ({
  replicas,
  surge,
  unavailable,
});

test.each<[string, WorkloadOptions, string, Before?]>([
  ["one Pod with the defaults", { replicas: 1 }, "1 of 1, +1, 1"],
  ["four Pods with the defaults", { replicas: 4 }, "3 of 4, +1, 2"],
  ["a surge only", sizes(4, 1, 0), "4 of 4, +1, 4"],
  ["no surge", sizes(4, 0, 1), "3 of 4, +0, 4"],
  ["one Pod that can be missing", sizes(1, 1, 1), "0 of 1, +1, 1"],
  ["everything at once", sizes(4, "100%", 0), "4 of 4, +4, 1"],
  ["nothing stays", sizes(3, 0, "100%"), "0 of 3, +0, 1"],
  ["both are 0", sizes(3, 0, 0), "2 of 3, +0, 3"],
  ["Recreate", { replicas: 3, spec: { strategy: { type: "Recreate" } } }, "0 of 3, +0, 1"],
  ["more replicas", sizes(4, 1, 0), "2 of 4, +1, 4", { replicas: 2 }],
  ["fewer replicas", sizes(2, 1, 0), "2 of 2, +0, 2", { replicas: 4 }],
  ["unready Pods before", sizes(4, 1, 0), "3 of 4, +1, 4", { ready: 3 }],
  ["the same template", { replicas: 4 }, "", { version: 2 }],
  ["no Pods before", { replicas: 4 }, "", { replicas: 0 }],
  ["no Pods after", { replicas: 0 }, "", { replicas: 4 }],
  ["paused", { replicas: 4, spec: { paused: true } }, ""],
])("a Deployment with %s", (_name, options, expected, before) => {
  expect(forecast(deployment, options, before)).toBe(expected);
});

test.each<[string, WorkloadOptions, string]>([
  ["three Pods", { replicas: 3 }, "2 of 3, +0, 3"],
  ["one Pod", { replicas: 1 }, "0 of 1, +0, 1"],
  [
    "a partition",
    { replicas: 3, spec: { updateStrategy: { rollingUpdate: { partition: 2 } } } },
    "2 of 3, +0, 1",
  ],
  ["OnDelete", { replicas: 3, spec: { updateStrategy: { type: "OnDelete" } } }, ""],
])("a StatefulSet with %s", (_name, options, expected) => {
  expect(forecast(statefulSet, options)).toBe(expected);
});

test.each<[string, WorkloadOptions, string]>([
  ["the defaults", { replicas: 4 }, "3 of 4, +0, 4"],
  ["two unavailable Pods", { replicas: 4, unavailable: 2 }, "2 of 4, +0, 2"],
  ["a surge", { replicas: 4, surge: 1 }, "4 of 4, +1, 4"],
])("a DaemonSet with %s", (_name, options, expected) => {
  expect(forecast(daemonSet, options)).toBe(expected);
});

test("a canary and a blue-green Rollout", () => {
  const canary = (options: WorkloadOptions) =>
    rollout({ canary: { maxSurge: 1, maxUnavailable: 0 } }, options);
  expect(forecast(canary, { replicas: 4 })).toBe("4 of 4, +1, 4");
  const blueGreen = (options: WorkloadOptions) =>
    rollout({ blueGreen: { activeService: "a" } }, options);
  expect(forecast(blueGreen, { replicas: 4 })).toBe("4 of 4, +4, 1");
});

test("the duration is the median of earlier rollouts per wave", () => {
  const before = { ...deployment(sizes(4, 1, 0)), status: { replicas: 4, readyReplicas: 4 } };
  const live = { ...before, metadata: { name: "web", uid: "web" } };
  const change = changeOf(deployment({ ...sizes(4, 1, 0), version: 2 }), live);
  const plan = { changes: [change], deletions: [] } as unknown as Plan;
  const release = (revision: number, seconds: number | undefined, waves = 2, key = change.key) => {
    const forecast = { key, replicas: 4, leastReady: 4, morePods: 1, waves };
    const observed = seconds === undefined ? undefined : { leastReady: 4, seconds };
    return { revision, status: "succeeded", rollouts: [{ ...forecast, observed }] };
  };
  const secondsAfter = (...releases: readonly object[]) =>
    forecastRollouts(plan, createReleaseHistory(releases as readonly Release[]))[0]?.seconds;
  expect(secondsAfter()).toBeUndefined();
  expect(secondsAfter(release(1, undefined), { revision: 2 })).toBeUndefined();
  expect(secondsAfter(release(1, 10))).toBe(20);
  expect(secondsAfter(release(1, 10), release(2, 300), release(3, 12))).toBe(24);
  expect(secondsAfter(release(1, 10, 2, "apps:Deployment::shop/other"))).toBeUndefined();
  expect(secondsAfter(release(1, 0.1))).toBe(1);
});
