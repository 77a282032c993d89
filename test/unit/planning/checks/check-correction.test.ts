import { describe, expect, it, test } from "vitest";
import { parse } from "yaml";
import {
  createReleaseHistory,
  emptyHistory,
} from "../../../../src/model/deployments/release-history.ts";
import { idOf, type KubeObject, keyOf } from "../../../../src/model/object.ts";
import type { Change, Plan } from "../../../../src/model/plan/plan.ts";
import { checkCorrection } from "../../../../src/planning/checks/check-correction.ts";
import { release } from "../../../support/plan/release-from.ts";
import { stepsOf } from "../../../support/plan/steps.ts";

const claim = "{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: data}}";
const migration = (suspend: boolean) =>
  `{apiVersion: batch/v1, kind: Job, metadata: {name: migrate, annotations: {vs.axis-dev.io/migration: drops a column}}, spec: {suspend: ${suspend}}}`;
const report = "{apiVersion: batch/v1, kind: Job, metadata: {name: report}}";
const database =
  "{apiVersion: apps/v1, kind: StatefulSet, metadata: {name: db}, spec: {persistentVolumeClaimRetentionPolicy: {whenDeleted: Delete}, volumeClaimTemplates: [{}]}}";

const dying = { deletionTimestamp: "2024-05-01T00:00:00Z" };

function change(yaml: string, action: Change["action"], live?: object): Change {
  const object = parse(yaml) as KubeObject;
  const desired = { ...object, metadata: { namespace: "shop", ...object.metadata } };
  const found =
    live === undefined
      ? undefined
      : ({ ...desired, metadata: { ...desired.metadata, ...live } } as KubeObject);
  const id = idOf(desired);
  return {
    id,
    key: keyOf(id),
    action,
    steps: stepsOf(action),
    desired,
    live: found,
  } as unknown as Change;
}

const checked = (one: Change, allowed = false, corrects = release(3, "succeeded")) =>
  checkCorrection({ changes: [one], deployment: "shop", namespace: "shop" } as unknown as Plan, {
    history: createReleaseHistory([corrects]),
    corrects,
    allowed,
  });

const cases: readonly [string, Change, string][] = [
  ["a claim that is absent", change(claim, "create"), "data-lost"],
  ["a claim that is being deleted", change(claim, "unchanged", dying), "data-lost"],
  ["a claim that is recreated", change(claim, "replace", {}), "data-lost"],
  ["a claim that has changed", change(claim, "update", {}), ""],
  ["a StatefulSet whose claims go with it", change(database, "replace", {}), "data-lost"],
  ["a migration that is recreated", change(migration(false), "replace", {}), "migration-repeated"],
  ["a suspended migration that is absent", change(migration(true), "create"), "migration-repeated"],
  ["a migration that has changed", change(migration(false), "update", {}), ""],
  ["another Job", change(report, "replace", {}), ""],
];

describe("a correction", () => {
  it.each(cases)("with %s", (_, one, expected) => {
    const { findings, blockers } = checked(one);
    expect(findings.map(({ code }) => code).join()).toBe(expected);
    expect(blockers.map(({ code }) => code).join()).toBe(
      expected === "" ? "" : "irreversible-correction",
    );
  });
});

test("an allowed change is reported and blocks nothing", () => {
  const { findings, blockers, notices } = checked(change(claim, "create"), true);
  expect([findings.length, blockers.length]).toEqual([1, 0]);
  expect(notices.map(({ what, fix }) => `${what}. ${fix}`)).toEqual([
    "PersistentVolumeClaim shop/data is created again and is empty. Restore the data from a backup, or bind the new claim to the retained volume with spec.volumeName",
  ]);
});

test("a deployment isn't a correction", () => {
  const plan = { changes: [change(claim, "create")] } as unknown as Plan;
  const found = checkCorrection(plan, {
    history: emptyHistory,
    corrects: undefined,
    allowed: false,
  });
  expect(found).toEqual({ findings: [], blockers: [], notices: [] });
});
