import { expect, test } from "vitest";
import { escapeText, md } from "../../../../src/redaction/markdown.ts";
import { renderOutcomes, withOutcome } from "../../../../src/report/comment/outcome-comment.ts";
import type { OutcomeReport } from "../../../../src/report/outcome-report.ts";
import { renderOutcomeText } from "../../../../src/report/plans/outcome-text.ts";
import { planFacts, renderPlanText } from "../../../../src/report/plans/plan-text.ts";
import { renderComment } from "../../../support/report/rendered.ts";
import {
  commentInput,
  live,
  planned,
  service,
  shopPlan,
  shopReport,
} from "../../../support/shop/shop-report.ts";

const failed: OutcomeReport = {
  deployment: "shop-prod",
  environment: "prod",
  revision: 8,
  rollbackOf: undefined,
  succeeded: false,
  results: [
    { key: "core:ConfigMap::shop/web-config", outcome: "created", detail: "" },
    { key: "apps:Deployment::shop/web", outcome: "failed", detail: "not ready after 600 s" },
    { key: "core:ConfigMap::shop/web-old", outcome: "not attempted", detail: "" },
  ],
  evidence: [
    {
      key: "apps:Deployment::shop/web",
      lines: ["Pod web-1: CrashLoopBackOff", "last log: ```\u001b[31mboom"],
      publicLines: ["Pod web-1: CrashLoopBackOff", "event: ```\u001b[31mback-off"],
    },
  ],
  refusal: undefined,
  waysBack: [
    "To go back to release 7: qvs rollback --deployment shop-prod --namespace shop --to 7",
  ],
};
const succeeded: OutcomeReport = {
  ...failed,
  waysBack: [],
  succeeded: true,
  results: failed.results.slice(0, 1),
  evidence: [],
};

const aBlocker = { code: "missing-permission", where: [], what: "No", fix: "Allow it" } as const;

test("a plan for a terminal", () => {
  expect(renderPlanText(shopPlan())).toBe(`\
shop-staging: 1 to create, 1 to update, 1 to delete, 1 unchanged

+ create ConfigMap shop/web-config-308a0d0c4c
    +apiVersion: v1
    +kind: ConfigMap
    +metadata:
    +  name: web-config-308a0d0c4c
    +  namespace: shop
    +data:
    +  app.properties: |
    +    log.level=debug
    +    log.format=json
    +    port=8080

~ update Deployment shop/web
    @@ spec › template › spec › containers › web @@
     envFrom:
       - configMapRef:
    -      name: web-config-2ed2af4518
    +      name: web-config-308a0d0c4c
    -image: registry.example/shop:1.4.2
    +image: registry.example/shop:1.5.0
     ports:
       - name: http

- delete ConfigMap shop/web-config-2ed2af4518
`);
});

test("a plan without changes", () => {
  const plan = shopPlan({
    changes: [planned("app", "service", service(), live(service()))],
    deletions: [],
  });
  expect(renderPlanText(plan)).toBe("shop-staging: no changes (1 object)\n");
});

test("a verdict with counts replaces the line of counts", () => {
  const report = shopReport();
  const counted = renderPlanText(shopPlan(), {}, [], planFacts(report));
  expect(counted.split("\n").slice(0, 2)).toEqual(["Ready: shop-staging, 1 update, 1 rename", ""]);
  const unchanged = shopReport({ plan: shopPlan({ changes: [], deletions: [] }) });
  const plan = unchanged.plan ?? shopPlan();
  expect(renderPlanText(plan, {}, [], planFacts(unchanged))).toBe("No changes: shop-staging\n");
});

test("the line of counts follows a verdict without counts", () => {
  const facts = planFacts(shopReport({ blockers: [aBlocker] }));
  expect(renderPlanText(shopPlan(), {}, [], facts).split("\n").slice(0, 2)).toEqual([
    "Blocked: shop-staging: missing permission",
    "shop-staging: 0 to create, 1 to update, 1 to rename, 0 to delete, 1 unchanged",
  ]);
  const part = shopPlan({ onlyStage: "app" });
  const ofStage = renderPlanText(part, {}, [], planFacts(shopReport({ plan: part })));
  expect(ofStage.split("\n")[1]).toContain("shop-staging (only app): ");
});

test("an uncertain change shows the reason", () => {
  const [create] = shopPlan().changes;
  if (create === undefined) throw new Error("The shop creates something.");
  const unchecked = {
    ...create,
    certainty: { by: "unchecked", reason: "patch is forbidden" },
  } as const;
  const text = renderPlanText(shopPlan({ changes: [unchecked], deletions: [] }));
  expect(text).toContain(
    "+ create ConfigMap shop/web-config-308a0d0c4c (unchecked: patch is forbidden)\n",
  );
});

test("a failed deployment for a terminal", () => {
  expect(renderOutcomeText(failed)).toBe(`\
Failed to deploy shop-prod to prod as release 8
  failed: Deployment shop/web: not ready after 600 s
  not attempted: ConfigMap shop/web-old

  Deployment shop/web:
    Pod web-1: CrashLoopBackOff
    last log: \`\`\`\\u001b[31mboom
  Nothing was deleted after the failure. 1 object wasn't attempted, so the version that it would replace keeps serving
  To go back to release 7: qvs rollback --deployment shop-prod --namespace shop --to 7
1 failed, 1 not attempted, 1 created
`);
});

test("control characters in names and details are escaped", () => {
  const metadata = { name: "a\u001b[2J\nb", namespace: "shop" };
  const change = planned("app", "a", { apiVersion: "v1", kind: "ConfigMap", metadata }, undefined);
  const unchecked = { ...change, certainty: { by: "unchecked", reason: "\u001b[1m" } } as const;
  const kept = { ...change, why: "not ours", detail: "\u009b2J" } as const;
  const deletion = { ...change, apiVersion: "v1", uid: "u", live: change.desired };
  const plan = shopPlan({
    deployment: "shop\u202e",
    changes: [unchecked],
    kept: [kept],
    deletions: [deletion],
    notices: [{ code: "adopted-object", what: "\u001b[3m", fix: "\u001b[4m", where: [] }],
  });
  const result = { outcome: "failed", key: "k\u001b[5m\n", detail: "\r" } as const;
  const outcome = {
    ...failed,
    deployment: "shop\u001b[6m",
    results: [result],
    refusal: "no\u001b[7m",
    evidence: [{ key: "k\u001b[8m", lines: ["\u2028"], publicLines: [] }],
  };
  const text = renderPlanText(plan) + renderOutcomeText(outcome);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the test searches for control characters
  expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u2028\u202e]/);
  expect(text).toContain("+ create ConfigMap shop/a\\u001b[2J\\nb (unchecked: \\u001b[1m)\n");
  expect(text).toContain("- delete ConfigMap shop/a\\u001b[2J\\nb\n");
  expect(text).toContain("  failed: k\\u001b[5m\\n: \\u000d\n");
});

test.each([
  ["a deployment", succeeded, "Deployed shop-prod to prod as release 8"],
  [
    "a rollback",
    { ...succeeded, rollbackOf: 6 },
    "Rolled back shop-prod in prod as release 8 (rollback to release 6)",
  ],
  [
    "a rollback that failed",
    { ...failed, rollbackOf: 6 },
    "Failed to roll back shop-prod in prod as release 8 (rollback to release 6)",
  ],
  [
    "a canceled rollback",
    { ...failed, rollbackOf: 6, stopped: "the run was cancelled", cancelled: true },
    "Canceled while rolling back shop-prod in prod as release 8 (rollback to release 6)",
  ],
  [
    "a rejected rollback",
    { ...failed, goesBack: true, revision: undefined, refusal: "no such release", results: [] },
    "Failed to roll back shop-prod in prod",
  ],
  [
    "a rejection",
    { ...failed, revision: undefined, refusal: "the lock is held", results: [], evidence: [] },
    "Failed to deploy shop-prod to prod",
  ],
])("the headline of %s", (_, outcome, headline) => {
  expect(renderOutcomeText(outcome).split("\n")[0]).toBe(headline);
});

test("the outcome of a failure as a comment", async () => {
  const section = renderOutcomes(
    [failed],
    "5f0c3a9d1b7e4c2f",
    "https://github.com/acme/shop/actions/runs/43",
  );
  await expect(withOutcome(md`<!-- marker -->\n## Plan\n`, section)).toMatchFileSnapshot(
    "golden/a-failed-deployment.md",
  );
});

test("a later outcome replaces the earlier one above the preview", () => {
  const first = withOutcome(
    md`<!-- marker -->\n## Plan\n`,
    renderOutcomes([failed], "aaa", undefined),
  );
  const second = withOutcome(first, renderOutcomes([succeeded], "bbb", undefined));
  expect(second).toBe(
    withOutcome(md`<!-- marker -->\n## Plan\n`, renderOutcomes([succeeded], "bbb", undefined)),
  );
  expect(second.split("\n")[0]).toBe("<!-- marker -->");
  expect(second.indexOf("Deployed")).toBeLessThan(second.indexOf("## Plan"));
});

test("a preview that no longer fits below the outcome is removed", () => {
  const long = withOutcome(
    md`<!-- marker -->\n${escapeText("x".repeat(65_000))}`,
    renderOutcomes([succeeded], "bbb", undefined),
  );
  expect(long.length).toBeLessThan(1000);
});

test("the outcome of a success above its preview", async () => {
  const preview = renderComment(commentInput(shopReport()));
  const results = [
    { key: "core:ConfigMap::shop/web-config-308a0d0c4c", outcome: "created", detail: "" },
    { key: "apps:Deployment::shop/web", outcome: "updated", detail: "" },
    { key: "core:ConfigMap::shop/web-config-2ed2af4518", outcome: "deleted", detail: "" },
  ] as const;
  const section = renderOutcomes(
    [{ ...succeeded, results }],
    "5f0c3a9d1b7e4c2f",
    "https://github.com/acme/shop/actions/runs/43",
  );
  await expect(withOutcome(preview, section)).toMatchFileSnapshot("golden/a-deployment.md");
});
