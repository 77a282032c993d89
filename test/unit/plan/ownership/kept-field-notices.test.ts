import { expect, test } from "vitest";
import { objectFrom } from "../../../support/plan/change-between.ts";
import { requirePlan } from "../../../support/plan/plan-text.ts";

const web = (account: string) =>
  `{apiVersion: apps/v1, kind: Deployment, metadata: {namespace: shop, name: web}, spec: {selector: {matchLabels: {app: web}}, template: {metadata: {labels: {app: web}}, spec: {containers: [{name: web, image: "web:1"}]${account}}}}}`;
const mine = ", serviceAccountName: mine";

/** Returns the notices of an update after which the API server stores this account. */
function notices(before: string, declared: string, stored: string): readonly string[] {
  const value = objectFrom(web(stored));
  const plan = requirePlan({
    before: `app/web: ${web(before)}`,
    declared: `app/web: ${web(declared)}`,
    answers: { "apps:Deployment::shop/web": { ok: true, value } },
  });
  return plan.notices.filter(({ code }) => code === "kept-field").map(({ what }) => what);
}

test("a ServiceAccount that is no longer declared stays", () => {
  expect(notices(mine, "", mine)).toEqual([
    "Deployment shop/web: spec.template.spec.serviceAccountName is no longer declared but stays",
  ]);
  expect(notices(mine, "", ""), "removed").toEqual([]);
  expect(notices(mine, ", serviceAccountName: other", ", serviceAccountName: other")).toEqual([]);
  expect(notices("", "", mine), "never declared").toEqual([]);
});
