import { expect, test } from "vitest";
import { parse } from "yaml";
import type { JsonObject } from "../../../../src/model/json.ts";
import { idOf, type KubeObject, keyOf } from "../../../../src/model/object.ts";
import type { Change, Plan, Step } from "../../../../src/model/plan/plan.ts";
import { recreated } from "../../../../src/preflight/rules/recreated.ts";
import { replacedWithoutPods } from "../../../../src/preflight/rules/replaced-without-pods.ts";
import { around, creationOf } from "../rollout-plan.ts";

/** Reports fields that the new StatefulSet lacks, and Pods that restart. */
function set(image: string, more: { metadata?: string; spec?: string; status?: string } = {}) {
  return parse(`
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: db, namespace: shop, ${more.metadata ?? ""}}
spec: {replicas: 2, template: {spec: {containers: [{name: db, image: "${image}"}]}}, ${more.spec ?? ""}}
status: {${more.status ?? ""}}
`) as KubeObject;
}

const grows = { from: "1Gi", to: "2Gi" };
const steps: readonly Step[] = [
  { type: "grow-claims", claims: [{ name: "data-db-0", uid: "u", ...grows }] },
  { type: "orphan", fields: ["spec.volumeClaimTemplates"] },
  { type: "apply" },
];

function findings(live: KubeObject, desired: KubeObject, fields?: readonly string[]) {
  const id = idOf(desired);
  const own =
    fields === undefined ? steps : ([{ type: "orphan", fields }, { type: "apply" }] as const);
  const change: Change = {
    ...{ ...creationOf({}), key: keyOf(id), id, desired, predicted: desired },
    ...{ action: "replace", live, steps: own },
  };
  const plan: Plan = {
    ...{ deployment: "shop", namespace: "shop", changes: [change], deletions: [] },
    ...{ kept: [], notices: [], digest: "" },
  };
  const input = {
    ...{ plan, facts: around(), releases: { declared: new Set<string>() } },
    placeOf: () => undefined,
  };
  expect(recreated(input)).toEqual([]);
  return replacedWithoutPods(input).map(({ severity, why }) => `${severity}: ${why}`);
}

const allowed = (fields: string) =>
  `${fields} can't be changed on a live object, and vs.axis-dev.io/replace: orphan allows the replacement`;
const growing = `${allowed("spec.volumeClaimTemplates")}. Claims that grow: data-db-0 from 1Gi to 2Gi`;
const stays = "The Pod template stays, so no Pod restarts";
const changes = "The Pod template changes, so its Pods restart by its update strategy";

test("an equal template restarts no Pod", () => {
  expect(findings(set("db:1"), set("db:1"))).toEqual([`note: ${growing}. ${stays}`]);
});

test("another template restarts them", () => {
  expect(findings(set("db:1"), set("db:2"))).toEqual([`note: ${growing}. ${changes}`]);
});

test("the name of the Service reaches Pods when they restart", () => {
  expect(findings(set("db:1"), set("db:1"), ["spec.serviceName"])).toEqual([
    `note: ${allowed("spec.serviceName")}. ${stays}. Running Pods keep the subdomain of the old Service until they restart`,
  ]);
});

const partition = { spec: "updateStrategy: {rollingUpdate: {partition: 1}}" };
const forgets =
  "Pods below partition 1 get the new template when they restart, because a new StatefulSet doesn't know their old revision";

test.each([
  ["with another template", set("db:1"), set("db:2", partition), changes],
  [
    "in the middle of a rollout",
    set("db:1", { status: "currentRevision: a, updateRevision: b" }),
    set("db:1", partition),
    stays,
  ],
])("a partition forgets the old revision %s", (_, live, desired, restarts) => {
  expect(findings(live, desired)).toEqual([`warning: ${growing}. ${restarts}. ${forgets}`]);
});

test("a partition stays as it is where all Pods have one revision", () => {
  const live = set("db:1", { status: "currentRevision: a, updateRevision: a" });
  expect(findings(live, set("db:1", partition))).toEqual([`note: ${growing}. ${stays}`]);
});

const fields =
  'f:metadata: {f:annotations: {f:team: {}}, f:ownerReferences: {\'k:{"uid":"o"}\': {}}}, f:spec: {f:replicas: {}}';
const ofOthers = `managedFields: [
  {manager: qvs-shop-app, operation: Apply, fieldsV1: {f:spec: {f:template: {}}}},
  {manager: operator, operation: Update, fieldsV1: {${fields}}},
  {manager: controllers, operation: Update, subresource: status, fieldsV1: {f:status: {}}}]`;

test("what another manager has set and the new one lacks is named", () => {
  const live = set("db:1", {
    metadata: `annotations: {team: storage}, ownerReferences: [{uid: o, name: owner}], ${ofOthers}`,
  });
  const [text] = findings(live, set("db:1"));
  expect(text).toContain(`warning: ${growing}. ${stays}. operator loses metadata.annotations`);
  expect(text).toContain("metadata.ownerReferences");
  expect(text).not.toContain("spec.replicas");
});

test("fields that the new StatefulSet also has are not lost", () => {
  const live = set("db:1", { metadata: `annotations: {team: storage}, ${ofOthers}` });
  const desired = set("db:1", { metadata: "annotations: {team: storage}" });
  expect(findings(live, desired)).toEqual([`note: ${growing}. ${stays}`]);
});

test("a template annotation of a restart is lost, and its Pods restart", () => {
  const restart = `managedFields: [{manager: kubectl-rollout, operation: Update, fieldsV1:
    {f:spec: {f:template: {f:metadata: {f:annotations: {f:restarted: {}}}}}}}]`;
  const live = set("db:1", { metadata: restart });
  const template = (live.spec as { template: JsonObject }).template;
  const marked = { ...template, metadata: { annotations: { restarted: "once" } } };
  const restarted = { ...live, spec: { ...(live.spec as JsonObject), template: marked } };
  expect(findings(restarted, set("db:1"))).toEqual([
    `warning: ${growing}. ${changes}. kubectl-rollout loses spec.template.metadata.annotations.restarted`,
  ]);
});
