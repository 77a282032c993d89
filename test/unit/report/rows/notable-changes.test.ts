import { describe, expect, test } from "vitest";
import { phraseToText } from "../../../../src/redaction/phrase.ts";
import { renderPlanSummary } from "../../../../src/report/plans/plan-summary.ts";
import { renderPlanText } from "../../../../src/report/plans/plan-text.ts";
import { buildChanges } from "../../../../src/report/rows/build-changes.ts";
import { describeSources } from "../../../../src/report/rows/change-sources.ts";
import { authorText, notableChanges } from "../../../../src/report/rows/notable-changes.ts";
import type { Row } from "../../../../src/report/rows/row.ts";
import { reportOf, type Situation } from "../../../support/report/report-of.ts";
import { shopPlan } from "../../../support/shop/shop-report.ts";

const web = (spec: string, metadata = "") => `
apiVersion: apps/v1
kind: Deployment
metadata: {name: web${metadata}}
spec: ${spec}
`;

test.each([
  ["2026-11-22T11:59:30Z", "2026-11-22T12:00:00Z", "me, just now"],
  ["2026-11-22T11:59:00Z", "2026-11-22T12:00:00Z", "me, 1 minute ago"],
  ["2026-11-22T09:59:00Z", "2026-11-22T12:00:00Z", "me, 2 hours ago"],
  ["2026-11-19T11:00:00Z", "2026-11-22T12:00:00Z", "me, 3 days ago"],
  ["2024-02-28T12:00:00Z", "2024-03-01T12:00:00Z", "me, 2 days ago"],
  ["2023-02-28T12:00:00Z", "2023-03-01T12:00:00Z", "me, 1 day ago"],
  ["2025-12-31T23:00:00Z", "2026-01-01T01:00:00Z", "me, 2 hours ago"],
  ["2026-11-22T11:59:30.123456Z", "2026-11-22T12:00:00.000Z", "me, just now"],
  ["2026-11-22T13:00:00Z", "2026-11-22T12:00:00Z", "me, since 2026-11-22T13:00:00Z"],
  ["yesterday", "2026-11-22T12:00:00Z", "me, since yesterday"],
  ["2026-11-22T13:00:00Z", undefined, "me, since 2026-11-22T13:00:00Z"],
  [undefined, "2026-11-22T12:00:00Z", "me"],
])("the age of %s at %s", (since, now, expected) => {
  expect(authorText({ manager: "me", operation: "Update", since }, now)).toBe(expected);
});

const container = (image: string) =>
  `{template: {spec: {containers: [{name: a, image: "${image}"}]}}}`;

test.each([
  [
    "{replicas: 3}",
    "{replicas: 1}",
    "replicas: 3 → 1 (risk) one replica is left, so a node drain causes an outage",
  ],
  ["{replicas: 3}", "{replicas: 2}", "replicas: 3 → 2 (risk)"],
  ["{replicas: 3}", "{replicas: 0}", "replicas: 3 → 0 (risk) no replica is left"],
  [
    "{suspend: false}",
    "{suspend: true}",
    "suspend: false → true (risk) nothing starts until it is resumed",
  ],
  [
    "{minReplicas: 2}",
    "{minReplicas: 1}",
    "minReplicas: 2 → 1 (risk) only one replica might be left, so a node drain might cause an outage",
  ],
  ["{replicas: 1}", "{replicas: 3}", "replicas: 1 → 3"],
  ["{paused: false}", "{paused: true}", "paused: false → true (risk)"],
  ["{minReplicas: 3}", "{minReplicas: 2}", "minReplicas: 3 → 2 (risk)"],
  ["{}", "{replicas: 0}", "replicas: not set → 0 (risk) no replica is left"],
  ["{other: 3}", "{other: 1}", ""],
  [container("r.example/a:1"), container("r.example/a:2"), "image: a:1 → a:2"],
  [container("r.example/a:1"), container("s.example/a:1"), "image: r.example/a:1 → s.example/a:1"],
  ["{image: a}", "{image: b}", ""],
])("the notable changes when %s becomes %s", (before, after, expected) => {
  const rows = buildChanges(reportOf({ base: web(before), head: web(after) })).rows;
  const texts = notableChanges(rows).map(({ text, isRisk, means = "" }) =>
    `${text}${isRisk ? " (risk)" : ""} ${means}`.trim(),
  );
  expect(rows).toHaveLength(1);
  expect(texts.join(", ")).toBe(expected);
});

test("equal changes of several objects are shown once", () => {
  const both = (n: number) =>
    `${web(`{replicas: ${n}}`)}---\n${web(`{replicas: ${n}}`).replace("web", "api")}`;
  const [found, ...others] = notableChanges(
    buildChanges(reportOf({ base: both(2), head: both(3) })).rows,
  );
  expect(others).toEqual([]);
  expect(found?.names).toEqual(["Deployment shop/web", "Deployment shop/api"]);
});

const edited = (fields: string) =>
  `, managedFields: [{manager: kubectl-edit, operation: Update, time: "2026-11-19T11:30:00Z", fieldsV1: ${fields}}]`;

const now = "2026-11-22T12:00:00Z";
const adoptedBy = (manager: string) =>
  `, managedFields: [{manager: ${manager}, operation: Update, time: "2026-11-19T11:30:00Z", fieldsV1: {f:spec: {f:replicas: {}}}}]`;

describe("the source of the changes in one line:", () => {
  test.each<[string, Situation, string | undefined]>([
    [
      "all of the pull request",
      { base: web("{a: 1}"), head: web("{a: 2}") },
      "From this pull request: 1 object",
    ],
    [
      "a manual change next to it",
      {
        base: web("{replicas: 2, paused: false}"),
        head: web("{replicas: 3, paused: false}"),
        live: web("{replicas: 2, paused: true}", edited("{f:spec: {f:paused: {}}}")),
      },
      "From this pull request: 1 object · drift since release 7: 1 object (kubectl-edit, 3 days ago)",
    ],
    [
      "an earlier merge alone",
      { recorded: web("{a: 1}"), base: web("{a: 2}"), head: web("{a: 2}") },
      "No change is from this pull request · merged earlier, not deployed yet: 1 object (release 7 deployed abc1234)",
    ],
    [
      "fields of other managers, with their managers",
      {
        base: web("{replicas: 3}"),
        head: web("{replicas: 3}"),
        recorded: "",
        live: web("{replicas: 5}", adoptedBy("helm")),
      },
      "No change is from this pull request · takes field ownership from helm: 1 object",
    ],
    [
      "fields of other managers that the pull request declares",
      {
        base: web("{replicas: 2}"),
        head: web("{replicas: 3}"),
        recorded: "",
        live: web("{replicas: 5}", adoptedBy("helm")),
      },
      "takes field ownership from helm: 1 object",
    ],
    [
      "without commits",
      { recorded: web("{a: 1}"), head: web("{a: 2}") },
      "From the manifests: 1 object",
    ],
    ["nothing", { base: web("{}"), head: web("{}") }, undefined],
  ])("%s", (_, given, expected) => {
    const report = reportOf(given);
    const origin = { release: 7, commit: "abc1234def", isPullRequest: given.base !== undefined };
    const words = describeSources(buildChanges(report).rows, origin, now);
    expect(words && phraseToText(words)).toBe(expected);
  });
});

const situation = {
  recorded: `${web("{replicas: 3, paused: false}")}---
# id: settings
apiVersion: v1
kind: ConfigMap
metadata: {name: settings-1}
data: {a: one}
`,
  head: `${web("{replicas: 1, paused: false}")}---
# id: settings
apiVersion: v1
kind: ConfigMap
metadata: {name: settings-2}
data: {a: two}
`,
  live: `${web("{replicas: 3, paused: true}", edited("{f:spec: {f:paused: {}}}"))}---
# id: settings
apiVersion: v1
kind: ConfigMap
metadata: {name: settings-1}
data: {a: one}
`,
};

test("a preview on a terminal shows why objects change, the source, and replacements", () => {
  const report = reportOf(situation);
  const known = { ...report, config: "shop/qvs.yaml", now: "2026-11-22T12:00:00Z" };
  expect(renderPlanText(report.plan ?? shopPlan(), undefined, [], known)).toBe(`\
shop-staging: 0 to create, 1 to update, 1 to rename, 0 to delete, 0 unchanged
From the manifests: 2 objects · drift since release 7: 1 object (kubectl-edit, 3 days ago)

~ update Deployment shop/web  adapters/web:deployment (shop/qvs.yaml:14)
    replicas: 3 → 1: one replica is left, so a node drain causes an outage
    drift: spec.paused (kubectl-edit, 3 days ago)
    @@ spec @@
    -paused: true
    +paused: false
    -replicas: 3
    +replicas: 1

~ rename ConfigMap shop/settings-1 → settings-2  adapters/web:deployment (shop/qvs.yaml:14)
    @@ data @@
    -a: one
    +a: two
`);
});

test("a preview on a terminal shows the effect of a deletion and a rename", () => {
  const object = (kind: string, name: string) =>
    `# id: ${kind}\n{apiVersion: v1, kind: ${kind}, metadata: {name: ${name}}}\n`;
  const { plan, ...known } = reportOf({
    base: [object("PersistentVolumeClaim", "data"), object("StatefulSet", "db")].join("---\n"),
    head: object("StatefulSet", "store"),
  });
  const lines = renderPlanText(plan ?? shopPlan(), undefined, [], known).split("\n");
  expect(lines).toContain(
    "- delete PersistentVolumeClaim shop/data: its data is lost, unless its volume is retained",
  );
  expect(lines.slice(2, 4)).toEqual([
    "~ rename StatefulSet shop/db → store  adapters/web:deployment (line 14)",
    "    both run at the same time for a while, and the new Pods get new PersistentVolumeClaims without the old data",
  ]);
});

test("the preview has one line for each object", () => {
  const report = reportOf(situation);
  expect(renderPlanSummary({ ...report, plan: report.plan ?? shopPlan() })).toBe(`\
rename  ConfigMap shop/settings-1 → settings-2
update  Deployment shop/web (drift; paused: true → false; replicas: 3 → 1)
`);
  const nothing = reportOf({ recorded: web("{}"), head: web("{}") });
  expect(renderPlanSummary({ ...nothing, plan: nothing.plan ?? shopPlan() })).toBe(
    "shop-staging: no changes (1 object)\n",
  );
});

test("equal objects have no rows", () => {
  expect(buildChanges(reportOf({ base: web("{}"), head: web("{}") })).rows).toEqual(
    [] satisfies Row[],
  );
});
