import { expect, test } from "vitest";
import { observeRollout } from "../../../../src/apply/readiness/await-object.ts";
import type { JsonObject } from "../../../../src/model/json.ts";
import type { KubeObject } from "../../../../src/model/object.ts";
import type { Clock } from "../../../../src/ports/clock.ts";

function workload(kind: string, status: JsonObject): KubeObject {
  return { apiVersion: "apps/v1", kind, metadata: { name: "web" }, status };
}

/** Observes these states, one per second. */
function observed(
  kind: string,
  replicas: number,
  before: JsonObject | undefined,
  ...states: readonly JsonObject[]
) {
  let now = 0;
  const clock = { elapsed: () => now } as unknown as Clock;
  const live = before === undefined ? undefined : workload(kind, before);
  const observer = observeRollout({ replicas }, live, clock);
  for (const status of states) {
    now += 1000;
    observer.see(workload(kind, status));
  }
  return observer.end();
}

test("the smallest number of ready Pods and the peak count", () => {
  const states = [
    { replicas: 4, readyReplicas: 4 },
    { replicas: 5, readyReplicas: 3 },
    { replicas: 4, readyReplicas: 4 },
  ];
  const before = { replicas: 4, readyReplicas: 4 };
  expect(observed("Deployment", 4, before, ...states)).toEqual({
    leastReady: 3,
    morePods: 1,
    seconds: 3,
  });
});

test("a number that the API server leaves out is 0", () => {
  const states = [{ replicas: 1 }, { replicas: 1, readyReplicas: 1 }];
  expect(observed("StatefulSet", 1, { replicas: 1 }, ...states)).toMatchObject({ leastReady: 0 });
});

test("fewer replicas than before aren't more Pods", () => {
  const states = [
    { replicas: 4, readyReplicas: 4 },
    { replicas: 2, readyReplicas: 2 },
  ];
  expect(observed("Deployment", 2, { replicas: 4 }, ...states)).toMatchObject({
    leastReady: 2,
    morePods: 0,
  });
});

test("a DaemonSet reports no number of Pods", () => {
  const states = [{ numberReady: 3 }, { numberReady: 2 }, { numberReady: 3 }];
  const found = observed("DaemonSet", 3, { numberReady: 3 }, ...states);
  expect(found).toEqual({ leastReady: 2, seconds: 3 });
});

test("a rollout that was complete at once lost no Pod", () => {
  expect(observed("Deployment", 2, undefined)).toEqual({ leastReady: 2, seconds: 0 });
});

test("a rollout that always has fewer Pods has no more Pods at its peak", () => {
  const states = [{ replicas: 1 }, { replicas: 1, readyReplicas: 1 }];
  expect(observed("Deployment", 2, undefined, ...states)).toMatchObject({ morePods: 0 });
});
