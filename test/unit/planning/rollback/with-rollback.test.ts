import { expect, test } from "vitest";
import type { RollbackPreview } from "../../../../src/model/plan/predictions.ts";
import type { ExecutablePlan } from "../../../../src/planning/planned-deployment.ts";
import { withRollback } from "../../../../src/planning/rollback/with-rollback.ts";
import { changeBetween, objectFrom, planWith } from "../../../support/plan/change-between.ts";

const config = objectFrom(
  "{apiVersion: v1, kind: ConfigMap, metadata: {namespace: shop, name: a}}",
);
const object = { apiVersion: "v1", kind: "ConfigMap", namespace: "shop", name: "a" };
const planned = {
  ...{ executable: true, plan: planWith({ changes: [changeBetween(undefined, config)] }) },
  ...{ recorded: { releases: [] }, findings: [] },
} as unknown as ExecutablePlan;
const fact = { object, what: "ConfigMap shop/a is lost", why: "It is deleted", fix: "Keep it" };
const empty = { to: 3, possible: true, objects: 1, lost: [], reasons: [], notes: [], needs: [] };

function outcome(rollback: Partial<RollbackPreview>, require?: "reversible") {
  const deployment = { name: "shop", namespace: "shop", require } as never;
  const where = { file: "main.cue", line: 3, column: 1 };
  const manifests = [{ stage: "app", id: "a", where }] as never;
  const result = withRollback(planned, { ...empty, ...rollback }, { deployment }, { manifests });
  return {
    blockers: result.executable ? [] : result.blockers,
    findings: result.findings.map(({ what }) => what),
    places: result.findings.map(({ where }) => where),
  };
}

test("a loss is a finding in the place that declares the object", () => {
  expect(outcome({ lost: [fact] })).toEqual({
    blockers: [],
    findings: ["ConfigMap shop/a isn't restored by a rollback to release 3"],
    places: [[{ file: "main.cue", line: 3, column: 1 }]],
  });
});

test.for([
  ["a loss", { lost: [fact] }],
  ["a rollback that isn't possible", { possible: false, reasons: [fact] }],
  ["a rollback that isn't predicted", { possible: undefined, reasons: [fact] }],
] as const)("require: reversible blocks %s", ([, rollback]) => {
  expect(outcome(rollback).blockers, "without a requirement").toEqual([]);
  expect(outcome(rollback, "reversible").blockers).toMatchObject([{ code: "not-reversible" }]);
});

test("require: reversible allows a rollback that restores everything", () => {
  const needs = ["allow-delete: PersistentVolumeClaim"];
  expect(outcome({}, "reversible").blockers).toEqual([]);
  expect(outcome({ needs, notes: [fact] }, "reversible").blockers).toEqual([]);
});
