import { expect, test } from "vitest";
import type { Plan } from "../../../../src/model/plan/plan.ts";
import type { Finding } from "../../../../src/model/problems/finding.ts";
import { renderPlanText } from "../../../../src/report/plans/plan-text.ts";
import { forecastText, namedForecasts } from "../../../../src/report/rows/forecasts.ts";
import { renderComment, renderPage } from "../../../support/report/rendered.ts";
import { commentInput, shopPlan, shopReport } from "../../../support/shop/shop-report.ts";

const counts = { replicas: 4, leastReady: 3, morePods: 1 };

test.each([
  [{ ...counts, seconds: 40 }, "at least 3 of 4 Pods ready, 1 more Pod at the peak, about 40 s"],
  [
    { ...counts, morePods: 2, seconds: 150 },
    "at least 3 of 4 Pods ready, 2 more Pods at the peak, about 3 min",
  ],
  [{ ...counts, morePods: 0 }, "at least 3 of 4 Pods ready"],
  [{ replicas: 1, leastReady: 0, morePods: 0 }, "none of 1 Pod ready at times"],
])("%j reads well", (forecast, expected) => {
  expect(forecastText(forecast)).toBe(expected);
});

test("an error about a workload replaces its forecast", () => {
  const id = { group: "apps", kind: "Deployment", namespace: "shop", name: "web" };
  const key = "apps:Deployment::shop/web";
  const plan = { changes: [{ key, id }], forecasts: [{ key, ...counts, waves: 2 }] };
  const named = (code: string, severity: string, name = "web") => {
    const object = { apiVersion: "apps/v1", ...id, name };
    const finding = { code, severity, object } as unknown as Finding;
    return namedForecasts(plan as unknown as Plan, [finding]);
  };
  expect(named("rollout-deadlock", "error")).toEqual([]);
  expect(named("invalid-image", "error")).toEqual([]);
  expect(named("rollout-deadlock", "error", "other")).toHaveLength(1);
  const [unknown] = named("rollout-unknown", "note");
  expect(unknown && forecastText(unknown)).toContain("room on the nodes unknown");
  expect(named("requests-lost", "warning")).toEqual([
    { key, name: "Deployment shop/web", ...counts, waves: 2 },
  ]);
  expect(namedForecasts(undefined, [])).toEqual([]);
});

test("the comment, the page and the terminal show one line for a rollout", () => {
  const key = "apps:Deployment::shop/web";
  const plan = shopPlan({ forecasts: [{ key, ...counts, waves: 2, seconds: 40 }] });
  const report = shopReport({ plan });
  const input = commentInput(report);
  const text = "at least 3 of 4 Pods ready, 1 more Pod at the peak, about 40 s";
  expect(renderComment(input)).toContain(`- rollout of \`Deployment shop/web\`: ${text}\n`);
  const page = String(renderPage(input, { hash: (each) => String(each.length) }));
  expect(page).toContain(`rollout of <code>Deployment shop/web</code>: ${text}`);
  expect(renderPlanText(plan)).toContain(`\n  rollout of Deployment shop/web: ${text}\n`);
  expect(renderPlanText(shopPlan())).not.toContain("rollout");
});
