import { readFileSync } from "node:fs";
import { Ajv2020 } from "ajv/dist/2020.js";
import { expect, test } from "vitest";
import type { VersionCheck } from "../../../src/model/kubernetes-versions.ts";
import type { RollbackObstacle, RollbackPreview } from "../../../src/model/plan/predictions.ts";
import type { Finding } from "../../../src/model/problems/finding.ts";
import { renderComment } from "../../../src/report/comment/render-comment.ts";
import { renderPlanText, renderVersionCheck } from "../../../src/report/plans/plan-text.ts";
import { rollbackLine, versionLine } from "../../../src/report/prediction-lines.ts";
import { reportJson } from "../../../src/report/report-json.ts";
import { buildReview } from "../../../src/report/review/build-review.ts";
import { shopPlan, shopReport } from "../../support/shop/shop-report.ts";

const none = { lost: [], reasons: [], notes: [], needs: [] };

function obstacle(name: string, what: string): RollbackObstacle {
  const object = { apiVersion: "v1", kind: "ConfigMap", namespace: "shop", name };
  return { object, what, why: "", fix: "" };
}

const cases: readonly (readonly [string, Omit<RollbackPreview, "to">])[] = [
  ["Rollback: possible, 1 object, nothing lost", { ...none, possible: true, objects: 1 }],
  [
    "Rollback: possible with allow-delete: Namespace, 2 objects, nothing lost. Namespace x is deleted",
    {
      ...{ ...none, possible: true, objects: 2, needs: ["allow-delete: Namespace"] },
      notes: [obstacle("x", "Namespace x is deleted")],
    },
  ],
  [
    "Rollback: possible, 2 objects, not restored: ConfigMap shop/a, ConfigMap shop/b",
    { ...none, possible: true, objects: 2, lost: [obstacle("b", "b"), obstacle("a", "a")] },
  ],
  [
    "Rollback: not possible: ConfigMap shop/a: data is immutable",
    {
      ...{ ...none, possible: false, objects: 1 },
      reasons: [obstacle("a", "ConfigMap shop/a: data is immutable")],
      notes: [obstacle("b", "ConfigMap shop/b stays")],
    },
  ],
  [
    "Rollback: not predicted: qvs can't list Gadget",
    { ...none, objects: 0, reasons: [obstacle("a", "qvs can't list Gadget")] },
  ],
];

test.each(cases)("%s", (line, rollback) => {
  expect(rollbackLine({ to: 3, ...rollback })).toBe(line);
});

const schema = new URL("../../../schema/plan.schema.json", import.meta.url);
const isValid = new Ajv2020({ allErrors: true }).compile(JSON.parse(readFileSync(schema, "utf8")));
const againstVersion: VersionCheck = { version: "1.37", server: "1.36", release: 7, findings: 2 };

test.each([
  [{}, "Kubernetes 1.37 (this server: 1.36): 2 findings in release 7 (deployed) and this change"],
  [
    { findings: 1 },
    "Kubernetes 1.37 (this server: 1.36): 1 finding in release 7 (deployed) and this change",
  ],
  [
    { findings: 0, release: undefined },
    "Kubernetes 1.37 (this server: 1.36): no findings in this change",
  ],
  [
    { server: undefined, release: undefined },
    "Kubernetes 1.37 (this server: unknown, not compared): 2 findings in this change",
  ],
  [
    { release: undefined, isReleaseUnread: true },
    "Kubernetes 1.37 (this server: 1.36): 2 findings in this change (release unread)",
  ],
  [{ version: "1.36", findings: 0 }, "This server already has Kubernetes 1.36"],
  [
    { version: "1.36", findings: 1, release: undefined },
    "This server already has Kubernetes 1.36: 1 finding in this change",
  ],
])("describes the check %j", (changes, text) => {
  expect(versionLine({ ...againstVersion, ...changes })).toBe(text);
});

const finding: Finding = {
  code: "removed-api",
  severity: "warning",
  object: { apiVersion: "a/v1beta1", kind: "A", namespace: "shop", name: "web" },
  what: "A shop/web: Kubernetes 1.37 has no A in a/v1beta1",
  why: "The API server rejects the object",
  fix: "Declare apiVersion: a/v1",
  path: ["apiVersion"],
  facts: [{ label: "affects", value: "release 7 (deployed), fixed by this change" }],
  upgrade: {
    version: "1.37",
    since: "removed in Kubernetes 1.37",
    affects: ["deployed"],
    release: 7,
  },
  where: [],
};
const report = shopReport({ againstVersion, findings: [finding] });

test("the JSON contains the check and the data of its findings, as the schema describes", () => {
  isValid(reportJson(report));
  expect(isValid.errors ?? []).toEqual([]);
  expect(reportJson(report)).toMatchObject({
    againstVersion,
    findings: [
      {
        code: "removed-api",
        field: "apiVersion",
        facts: finding.facts,
        upgrade: { ...finding.upgrade },
      },
    ],
  });
  expect(reportJson(shopReport())).not.toHaveProperty("againstVersion");
});

test("the comment shows the check, the affected states, and that the finding is older", () => {
  const comment = renderComment(buildReview({ deployments: [report], headCommit: "", runUrl: "" }));
  expect(comment.replaceAll("\\", "")).toContain(`${versionLine(againstVersion)}.`);
  expect(comment).toContain("**Affects** `release 7 (deployed), fixed by this change`");
  expect(comment).toContain("Not caused by this pull request");
});

test("the text of a plan ends with the check", () => {
  const text = renderPlanText(shopPlan(), {}, [finding], { againstVersion });
  expect(text).toContain("affects: release 7 (deployed), fixed by this change");
  expect(text.trimEnd().split("\n")).toContain(versionLine(againstVersion));
});

test("a deployment without a plan shows only the findings about the other version", () => {
  const { upgrade: _upgrade, ...other } = finding;
  const findings = [finding, { ...other, what: "something else" }];
  const text = renderVersionCheck(againstVersion, findings);
  expect(text).toMatch(/^warning\[removed-api\]: .*\n\n?.*Kubernetes 1\.37 \(this server/s);
  expect(text).not.toContain("something else");
});
