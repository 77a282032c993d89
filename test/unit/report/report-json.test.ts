import { expect, test } from "vitest";
import { reportJson } from "../../../src/report/report-json.ts";
import { planned, shopPlan, shopReport } from "../../support/shop/shop-report.ts";

test("the JSON contains the action of each object and its dependencies", () => {
  expect(reportJson(shopReport())).toMatchObject({
    deployment: "shop-staging",
    compared: true,
    release: 7,
    problems: [],
    changes: [
      { key: "core:ConfigMap::shop/web-config-308a0d0c4c", action: "create", after: [] },
      {
        key: "apps:Deployment::shop/web",
        action: "update",
        certainty: { by: "server" },
        after: [
          { on: "core:ConfigMap::shop/web-config-308a0d0c4c", reason: "its Pod template reads it" },
        ],
        diff: expect.arrayContaining(["+image: registry.example/shop:1.5.0"]),
      },
      { key: "core:Service::shop/web", action: "unchanged", diff: [] },
    ],
    deletions: [{ key: "core:ConfigMap::shop/web-config-2ed2af4518", stage: "appSetup" }],
  });
});

test("a blocked plan is reported without a digest to approve", () => {
  const blocker = {
    code: "field-conflict" as const,
    what: "data.colour belongs to painter",
    fix: "Give it up",
    where: [],
  };
  expect(reportJson(shopReport({ blockers: [blocker] }))).toMatchObject({
    digest: null,
    problems: [blocker],
    changes: [{ action: "create" }, { action: "update" }, { action: "unchanged" }],
  });
});

test("the JSON contains no Secret value", () => {
  const metadata = { name: "db", namespace: "shop" };
  const secret = { apiVersion: "v1", kind: "Secret", metadata, data: { password: "aHVudGVyMg==" } };
  const plan = shopPlan({ changes: [planned("app", "db", secret, undefined)] });
  const text = JSON.stringify(reportJson(shopReport({ plan })));
  expect(text).toContain("password: (added)");
  expect(text).not.toContain("aHVudGVyMg");
});
