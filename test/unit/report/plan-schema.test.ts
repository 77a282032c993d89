import { readFileSync } from "node:fs";
import { Ajv2020 } from "ajv/dist/2020.js";
import { expect, test } from "vitest";
import { reportJson } from "../../../src/report/report-json.ts";
import { commentCases, isLarge } from "../../support/report/comment-cases.ts";

const schema = JSON.parse(
  readFileSync(new URL("../../../schema/plan.schema.json", import.meta.url), "utf8"),
);
const isValid = new Ajv2020({ allErrors: true }).compile(schema);

const reports = commentCases
  .filter(({ name }) => !isLarge(name))
  .flatMap(({ name, input }) =>
    input.deployments.map((report) => [`${name}: ${report.deployment.name}`, report] as const),
  );

test.each(reports)("the JSON of a preview matches the published schema: %s", (_, report) => {
  isValid(reportJson(report));
  expect(isValid.errors ?? []).toEqual([]);
});

test.each([
  ["a field that the schema doesn't describe", { surprise: true }],
  ["an invalid source", { deletions: [{ source: "magic" }] }],
  ["no list of changes", { changes: undefined }],
])("the published schema rejects %s", (_, wrong) => {
  const [, report] = reports[0] ?? [];
  if (report === undefined) throw new Error("There are cases.");
  expect(isValid({ ...reportJson(report), ...wrong })).toBe(false);
});

test.each([
  ["certainty", { by: "schema", reason: "its definition comes with it" }, true],
  ["certainty", { by: "guess", reason: "nobody knows" }, false],
])("a change with the %s %j", (field, value, expected) => {
  const [, report] = reports.find(([, { plan }]) => (plan?.changes.length ?? 0) > 0) ?? [];
  if (report === undefined) throw new Error("There are cases.");
  const json = reportJson(report);
  const [first, ...others] = json.changes as readonly object[];
  expect(isValid({ ...json, changes: [{ ...first, [field]: value }, ...others] })).toBe(expected);
});

test.each([
  ["in use", true],
  ["declared elsewhere", true],
  ["chart unknown", true],
  ["forgotten", false],
])("an object is kept because it is %s", (why, expected) => {
  const [, report] = reports.find(([, { plan }]) => plan !== undefined) ?? [];
  if (report === undefined) throw new Error("There are cases.");
  const object = { group: "", kind: "ConfigMap", namespace: "shop", name: "a" };
  const kept = { key: "core:ConfigMap::shop/a", detail: "still used by Pod shop/x", object, why };
  expect(isValid({ ...reportJson(report), kept: [kept] })).toBe(expected);
});
