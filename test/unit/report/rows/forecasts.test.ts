import { expect, test } from "vitest";
import type { Plan } from "../../../../src/model/plan.ts";
import type { Finding } from "../../../../src/model/problems/finding.ts";
import { forecastText, namedForecasts } from "../../../../src/report/rows/forecasts.ts";

const counts = { replicas: 4, leastReady: 3, morePods: 1 };

test.each([
  [{ ...counts, seconds: 40 }, "at least 3 of 4 Pods ready, 1 more Pod at the peak, about 40 s"],
  [
    { ...counts, morePods: 2, seconds: 150 },
    "at least 3 of 4 Pods ready, 2 more Pods at the peak, about 3 min",
  ],
  [{ ...counts, morePods: 0 }, "at least 3 of 4 Pods ready"],
  [{ replicas: 1, leastReady: 0, morePods: 0 }, "at least 0 of 1 Pod ready"],
])("%j reads well", (forecast, expected) => {
  expect(forecastText(forecast)).toBe(expected);
});

test("a finding about a rollout that gets stuck replaces its forecast", () => {
  const id = { group: "apps", kind: "Deployment", namespace: "shop", name: "web" };
  const key = "apps:Deployment::shop/web";
  const plan = { changes: [{ key, id }], forecasts: [{ key, ...counts, waves: 2 }] };
  const named = (code: string, name = "web") => {
    const object = { apiVersion: "apps/v1", ...id, name };
    return namedForecasts(plan as unknown as Plan, [{ code, object } as unknown as Finding]);
  };
  expect(named("rollout-deadlock")).toEqual([]);
  expect(named("quota-exceeded")).toEqual([]);
  expect(named("rollout-deadlock", "other")).toHaveLength(1);
  expect(named("requests-lost")).toEqual([
    { key, name: "Deployment shop/web", ...counts, waves: 2 },
  ]);
  expect(namedForecasts(undefined, [])).toEqual([]);
});
