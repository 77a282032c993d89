import { expect, test } from "vitest";
import type { KubeObject } from "../../../../src/model/object.ts";
import type { PlannedDeployment } from "../../../../src/planning/planned-deployment.ts";
import { objectFrom, ownedBy } from "../../../support/plan/change-between.ts";
import {
  type PreviewedChange,
  previewWithRollback,
} from "../../../support/plan/preview-with-rollback.ts";

const config = (name: string, value: string, more = "") =>
  `app/${name}: {apiVersion: v1, kind: ConfigMap, metadata: {name: ${name}}, data: {value: "${value}"${more}}}\n`;

const web = (image: string, more = "") =>
  `app/web: {apiVersion: apps/v1, kind: Deployment, metadata: {name: web}, spec: {replicas: 1, selector: {matchLabels: {app: web}}, template: {metadata: {labels: {app: web}}, spec: {containers: [{name: web, image: "acme/web:${image}"${more}}]}}}}\n`;

const set = (replicas: number, policy: string) =>
  `app/db: {apiVersion: apps/v1, kind: StatefulSet, metadata: {name: db}, spec: {serviceName: db, replicas: ${replicas}, persistentVolumeClaimRetentionPolicy: {${policy}}, selector: {matchLabels: {app: db}}, volumeClaimTemplates: [{metadata: {name: data}, spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}}], template: {metadata: {labels: {app: db}}, spec: {containers: [{name: db, image: "acme/db:1"}]}}}}\n`;

const job =
  "app/import: {apiVersion: batch/v1, kind: Job, metadata: {name: import}, spec: {template: {spec: {restartPolicy: Never, containers: [{name: import, image: acme/import:1}]}}}}\n";

const limits =
  "app/limit: {apiVersion: v1, kind: LimitRange, metadata: {name: limit}, spec: {limits: [{type: Container, max: {memory: 1Gi}}]}}\n";
const readsSecret = ", envFrom: [{secretRef: {name: password}}]";
const password = objectFrom(
  "{apiVersion: v1, kind: Secret, metadata: {namespace: shop, name: password, uid: u2}}",
);

const takeAll = { policy: { allowDelete: [], conflicts: { force: true, takeover: [] } } } as const;

/** Returns the predicted rollback as a line, with its losses. */
async function rollbackOf(change: PreviewedChange): Promise<string> {
  const planned = await previewWithRollback(change);
  const { rollback } = planned;
  if (rollback === undefined) return `none: ${blockersOf(planned)}`;
  const { possible, objects, lost, reasons } = rollback;
  const texts = [...lost, ...reasons].map(({ what }) => what);
  return [`${possible}`, `${objects}`, ...texts].join(", ");
}

function blockersOf(planned: PlannedDeployment): string {
  return planned.executable ? "" : planned.blockers.map(({ what }) => what).join("; ");
}

/** Adds a value of another field manager to the ConfigMap `a`. */
function patched(objects: readonly KubeObject[]): readonly KubeObject[] {
  return objects.map((object) => {
    if (object.metadata["name"] !== "a") return object;
    const data = { ...(object["data"] as object), size: "5" };
    return ownedBy({ ...object, data }, "kubectl-patch", '{"f:data":{"f:size":{}}}');
  });
}

const existing = objectFrom(
  "{apiVersion: v1, kind: ConfigMap, metadata: {namespace: shop, name: theirs, uid: u1}, data: {value: before}}",
);

test("a plan of plain updates has the same rollback as a plan with a setting of qvs", async () => {
  const setting = (yaml: string) =>
    yaml.replace("name: a}", 'name: a, annotations: {vs.axis-dev.io/wait: "true"}}');
  const [before, after] = ["1", "2"].map((value) => config("a", value) + config("b", value));
  const plain = await previewWithRollback({ before: before ?? "", after: after ?? "" });
  const full = await previewWithRollback({
    before: setting(before ?? ""),
    after: setting(after ?? ""),
  });
  expect(plain.rollback).toEqual(full.rollback);
  expect(plain.rollback).toMatchObject({ possible: true, objects: 2, lost: [] });
});

test.for<readonly [string, PreviewedChange, string]>([
  [
    "a created object",
    { before: config("a", "1"), after: config("a", "1") + config("b", "1") },
    "true, 1",
  ],
  [
    "a deleted object",
    { before: config("a", "1") + config("b", "1"), after: config("a", "1") },
    "true, 1",
  ],
  [
    "a value of another manager that stays",
    { before: config("a", "1"), after: config("a", "2"), live: patched },
    "true, 1",
  ],
  [
    "a value of another manager that the deployment takes",
    {
      before: config("a", "1"),
      after: config("a", "1", ", size: '3'"),
      ...{ live: patched, request: takeAll },
    },
    `true, 1, ConfigMap shop/a doesn't get back 1 value of "kubectl-patch"`,
  ],
  [
    "an adopted object",
    {
      before: config("a", "1"),
      after: config("a", "1") + config("theirs", "after"),
      live: (objects) => [...objects, ownedBy(existing, "kubectl", '{"f:data":{"f:value":{}}}')],
      request: takeAll,
    },
    "true, 0, ConfigMap shop/theirs existed before this deployment adopts it, and keeps the new values",
  ],
  [
    "data that becomes immutable",
    {
      before: config("a", "1"),
      after: config("a", "2").replace(" data:", " immutable: true, data:"),
    },
    "false, 1, ConfigMap shop/a: data can't be changed",
  ],
  ["another image", { before: web("1"), after: web("2") }, "true, 1"],
  [
    "a reference to a Secret that exists",
    { before: web("1", readsSecret), after: web("2"), live: (objects) => [...objects, password] },
    "true, 1",
  ],
  [
    "a reference to a Secret that no longer exists",
    { before: web("1", readsSecret), after: web("2") },
    "false, 1, Deployment shop/web needs Secret shop/password, which doesn't exist",
  ],
  [
    "fewer Pods whose claims are deleted",
    { before: set(2, "whenScaled: Delete"), after: set(1, "whenScaled: Delete") },
    "true, 1, PersistentVolumeClaim shop/data-db-1 is deleted, because StatefulSet shop/db gets fewer Pods",
  ],
  [
    "more Pods",
    { before: set(1, "whenScaled: Delete"), after: set(2, "whenScaled: Delete") },
    "true, 1",
  ],
  [
    "a deleted StatefulSet that deletes its claims",
    {
      before: config("a", "1") + set(1, "whenDeleted: Delete"),
      after: config("a", "1"),
      request: {
        policy: {
          allowDelete: ["PersistentVolumeClaim"],
          conflicts: { force: false, takeover: [] },
        },
      },
    },
    "true, 1, StatefulSet shop/db is created again with empty claims",
  ],
  [
    "a new LimitRange for the Pods of the current release",
    { before: web("1"), after: web("2") + limits },
    "undefined, 2, LimitRange shop/limit decides about Deployment shop/web",
  ],
  [
    "a new LimitRange without Pods",
    { before: config("a", "1"), after: config("a", "2") + limits },
    "true, 2",
  ],
])("the rollback of %s", async ([, change, expected]) => {
  expect(await rollbackOf(change)).toBe(expected);
});

const service = (spec: string) =>
  `app/web: {apiVersion: v1, kind: Service, metadata: {name: web}, spec: {${spec}}}\n`;

test.for<readonly [string, PreviewedChange, readonly string[]]>([
  [
    "a Service that becomes a name gets another address",
    {
      before: service("ports: [{port: 80}]"),
      after: service("type: ExternalName, externalName: a.example"),
      live: (objects) =>
        objects.map((each) => ({
          ...each,
          spec: { ...(each["spec"] as object), clusterIP: "10.0.0.7" },
        })),
    },
    ["Service shop/web gets another cluster IP address"],
  ],
  [
    "a deleted Job that still runs",
    {
      before: config("a", "1") + job,
      after: config("a", "1"),
      live: (objects) =>
        objects.map((each) => (each.kind === "Job" ? { ...each, status: { ready: 1 } } : each)),
    },
    ["Job shop/import stays if it still runs at the timeout of the deployment"],
  ],
  ["another image has no note", { before: web("1"), after: web("2") }, []],
])("the rollback of %s", async ([, change, notes]) => {
  const { rollback } = await previewWithRollback(change);
  expect(rollback?.notes.map(({ what }) => what)).toEqual(notes);
});

test("require: reversible blocks the deployment like its preview", async () => {
  const change: PreviewedChange = {
    before: config("a", "1"),
    after: config("a", "1", ", size: '3'"),
    ...{ live: patched, request: takeAll, require: "reversible" },
  };
  const [preview, deployment] = [
    await previewWithRollback(change),
    await previewWithRollback({ ...change, underLock: true }),
  ];
  expect(blockersOf(preview)).toContain("isn't restored by a rollback to release 3");
  expect(blockersOf(deployment)).toBe(blockersOf(preview));
});

test("a deployment without a requirement predicts only the rollback of risky plans", async () => {
  const update = { before: config("a", "1"), after: config("a", "2"), underLock: true };
  expect((await previewWithRollback(update)).rollback).toBe(undefined);
  const required = await previewWithRollback({ ...update, require: "reversible" });
  expect(required.rollback?.possible).toBe(true);
  const deletion = { ...update, before: config("a", "1") + config("b", "1") };
  expect((await previewWithRollback(deletion)).rollback?.possible).toBe(true);
});
