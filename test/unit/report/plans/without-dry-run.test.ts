import { expect, test } from "vitest";
import { renderPlanText } from "../../../../src/report/plans/plan-text.ts";
import { refused } from "../../../support/fake-cluster.ts";
import { planOf } from "../../../support/plan/plan-text.ts";

const config = (data: string) =>
  `app/a: {apiVersion: v1, kind: ConfigMap, metadata: {name: a}, data: ${data}}`;

test("a preview without permission for dry-runs shows removed fields too", () => {
  const message =
    'configmaps "a" is forbidden: User "viewer" cannot patch resource "configmaps" in API group ""';
  const planned = planOf({
    before: config("{kept: x, gone: z, other: a}"),
    declared: config("{kept: x, other: b}"),
    answers: { "core:ConfigMap::shop/a": refused("forbidden", 403, message) },
    purpose: "preview",
  });
  if (!planned.ok) throw new Error(JSON.stringify(planned.problems));
  const lines = renderPlanText(planned.value).split("\n");
  expect(lines.filter((line) => /^ +[-+]/.test(line)).map((line) => line.trim())).toEqual([
    "-gone: z",
    "-other: a",
    "+other: b",
  ]);
});
