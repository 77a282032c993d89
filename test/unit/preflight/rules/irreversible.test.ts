import { expect, test } from "vitest";
import { parse } from "yaml";
import type {
  ObjectResult,
  Release,
  ReleaseStatus,
} from "../../../../src/model/deployments/release.ts";
import { createReleaseHistory } from "../../../../src/model/deployments/release-history.ts";
import { idOf, type KubeObject, keyOf } from "../../../../src/model/object.ts";
import type { Change } from "../../../../src/model/plan/plan.ts";
import { irreversible } from "../../../../src/preflight/rules/irreversible.ts";
import { release } from "../../../support/plan/release-from.ts";

function recorded(
  revision: number,
  status: ReleaseStatus,
  yaml: string,
  outcome: ObjectResult["outcome"] = "created",
): Release {
  const objects = (parse(`[${yaml}]`) as KubeObject[]).map((object) => ({
    ...object,
    metadata: { namespace: "shop", ...object.metadata },
  }));
  return {
    ...release(revision, status),
    expandedConfig: objects.map((object) => ({
      stage: "app",
      resource: "",
      object,
      dependsOn: [],
    })),
    results:
      status === "pending"
        ? []
        : objects.map((object) => ({ key: keyOf(idOf(object)), outcome, detail: "" })),
  };
}

function change(yaml: string, action: Change["action"] = "create"): Change {
  const object = parse(yaml) as KubeObject;
  const desired = { ...object, metadata: { namespace: "shop", ...object.metadata } };
  return { id: idOf(desired), key: keyOf(idOf(desired)), action, desired } as unknown as Change;
}

function findings(to: number, releases: readonly Release[], changes: readonly Change[] = []) {
  const plan = { changes, deployment: "shop", namespace: "shop" };
  return irreversible({ plan, history: createReleaseHistory(releases), to }).map(
    ({ code, severity, what, why }) => `${severity} ${code}: ${what}\n  ${why}`,
  );
}

const claim = "{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: data}}";
const kept =
  "{apiVersion: v1, kind: Secret, metadata: {name: tls-1, annotations: {vs.axis-dev.io/keepOnDelete: tls}}}";
const stateful = (whenDeleted: string) =>
  `{apiVersion: apps/v1, kind: StatefulSet, metadata: {name: db}, spec: {persistentVolumeClaimRetentionPolicy: {whenDeleted: ${whenDeleted}}, volumeClaimTemplates: [{}]}}`;
const job = (name: string, image = "1") =>
  `{apiVersion: batch/v1, kind: Job, metadata: {name: ${name}, annotations: {vs.axis-dev.io/migration: "orders: adds totals"}}, spec: {template: {image: "${image}"}}}`;
const ordinary = "{apiVersion: batch/v1, kind: Job, metadata: {name: report}}";

test.each([
  ["an existing claim", [change(claim, "unchanged")], []],
  [
    "a deleted claim",
    [change(claim)],
    [
      "error data-lost: PersistentVolumeClaim shop/data is created again and is empty\n  Release 1 declares the claim, but it was deleted",
    ],
  ],
  ["a StatefulSet that retains its claims", [change(stateful("Retain"))], []],
  [
    "a StatefulSet that deletes its claims",
    [change(stateful("Delete"))],
    [
      "error data-lost: StatefulSet shop/db is created again with empty claims\n  Its claims were deleted with it: its persistentVolumeClaimRetentionPolicy is whenDeleted: Delete",
    ],
  ],
  [
    "a manually deleted kept object",
    [change(kept)],
    [
      "warning kept-object-missing: Secret shop/tls-1 was kept for a rollback, but no longer exists\n  qvs creates it again as release 1 recorded it. Its key is tls",
    ],
  ],
  ["an existing kept object", [change(kept, "update")], []],
] as const)("irreversible changes of objects: %s", (_, changes, expected) => {
  expect(findings(1, [recorded(1, "succeeded", claim), release(2, "succeeded")], changes)).toEqual(
    expected,
  );
});

const itsText =
  "Release 1 doesn't have this Job. Its annotation vs.axis-dev.io/migration: orders: adds totals";
const completed = (name: string, revision: number) =>
  `error migration-completed: Job shop/${name} completed in release ${revision}, and a rollback doesn't undo its migration\n  ${itsText}`;

test.each([
  ["an ordinary Job", [recorded(2, "succeeded", ordinary)], []],
  ["a new Job", [recorded(2, "succeeded", job("m2"))], [completed("m2", 2)]],
  ["the Job of the release itself", [recorded(2, "succeeded", job("m1"))], []],
  [
    "the same name with another template",
    [recorded(2, "succeeded", job("m1", "2"))],
    [completed("m1", 2)],
  ],
  [
    "a Job in several releases is reported once, with the release that ran it",
    [recorded(2, "succeeded", job("m2")), recorded(3, "succeeded", job("m2"), "unchanged")],
    [completed("m2", 2)],
  ],
  [
    "a Job that completed before something else failed",
    [recorded(2, "failed", job("m2"))],
    [completed("m2", 2)],
  ],
  ["a Job that no run reached", [recorded(2, "failed", job("m2"), "not attempted")], []],
  [
    "a Job that failed",
    [recorded(2, "failed", job("m2"), "failed")],
    [
      `warning migration-completed: Job shop/m2 failed in release 2, and a rollback doesn't undo its migration\n  It might have migrated a part. ${itsText}`,
    ],
  ],
  [
    "a Job that failed first and then completed",
    [recorded(2, "failed", job("m2"), "failed"), recorded(3, "succeeded", job("m2"), "replaced")],
    [completed("m2", 3)],
  ],
  [
    "a Job of a run that was killed",
    [recorded(2, "pending", job("m2"))],
    [
      `error migration-completed: Job shop/m2 might have completed in release 2, and a rollback doesn't undo its migration\n  ${itsText}`,
    ],
  ],
  [
    "releases that are no longer recorded\n  qvs keeps only the newest releases and those that kept objects come from. It can't find out whether migrations ran since release 1",
    [release(5, "succeeded"), release(7, "succeeded")],
    [
      "warning history-incomplete: 4 releases from 2 to 6 are no longer recorded\n  qvs keeps only the newest releases and those that kept objects come from. It can't find out whether migrations ran since release 1",
    ],
  ],
])("irreversible Jobs in the history: %s", (_, since, expected) => {
  expect(findings(1, [recorded(1, "succeeded", job("m1")), ...since])).toEqual(expected);
});

test("Jobs that ran before the rollback target aren't reported", () => {
  const releases = [recorded(1, "succeeded", job("m1")), release(2, "succeeded")];
  expect(findings(2, [...releases, release(3, "succeeded")])).toEqual([]);
});
