import { expect, test } from "vitest";
import { toJson } from "../../../../src/config/read-typed.ts";
import { type JsonObject, textAt } from "../../../../src/model/json.ts";
import type { HookEvent, RenderedChart, RenderedHook } from "../../../../src/ports/render.ts";
import { chartObjects } from "../../../../src/sources/charts/chart-objects.ts";
import { withoutNameConflicts } from "../../../../src/sources/charts/deletion-hooks.ts";

const hook = (
  name: string,
  events: readonly HookEvent[],
  more: Partial<RenderedHook> = {},
): RenderedHook => ({
  template: `web/templates/${name}.yaml`,
  text: `{apiVersion: batch/v1, kind: Job, metadata: {name: ${name}}, spec: {template: {}}}`,
  kind: "Job",
  ...{ name, events, weight: 0, deletePolicies: [] },
  ...more,
});

/** Returns the objects of a chart that contains only these hooks. */
function rendered(hooks: readonly RenderedHook[], more: Partial<RenderedChart> = {}) {
  const chart: RenderedChart = {
    chart: { name: "web", version: "1.0.0", appVersion: "" },
    ...{ manifests: [], crds: [], hooks, notes: "", notices: [] },
    ...more,
  };
  const placeOf = (file: string) => ({ file, line: 1, column: 1 });
  const context = { stage: "app", namespace: "shop", crds: true, hidden: [], placeOf } as const;
  const result = chartObjects(chart, context);
  if (!result.ok) throw new Error(JSON.stringify(result.problems));
  return result.value;
}

test("hooks of deletions are ordered by event, then by weight, then by name", () => {
  const { deletionHooks } = rendered([
    hook("last", ["post-delete"], { weight: -9 }),
    hook("third", ["pre-delete"], { weight: 10 }),
    hook("second", ["pre-delete"]),
    hook("first", ["pre-delete"]),
    hook("test", ["test"]),
  ]);
  const order = deletionHooks.map(({ event, object }) => [
    event,
    textAt(object, "metadata", "name"),
  ]);
  expect(order).toEqual([
    ["pre-delete", "first"],
    ["pre-delete", "second"],
    ["pre-delete", "third"],
    ["post-delete", "last"],
  ]);
});

test("a hook of a deletion isn't an object of the deployment, and one with another event is only that", () => {
  const { stages, deletionHooks } = rendered([
    hook("only", ["pre-delete"]),
    hook("both", ["pre-install", "pre-delete"]),
  ]);
  const deployed = [...stages.appSetup, ...stages.app];
  expect(deployed.map((each) => textAt(toJson(each), "metadata", "name"))).toEqual(["both"]);
  expect(deletionHooks.map(({ object }) => textAt(object, "metadata", "name"))).toEqual(["only"]);
});

test("the Pod template of a Job names the event", () => {
  const [found] = rendered([hook("both", ["pre-delete"])]).deletionHooks;
  expect(found?.object).toMatchObject({
    metadata: { namespace: "shop", annotations: { "vs.axis-dev.io/allow": "job-runs-again" } },
    spec: { template: { metadata: { annotations: { "vs.axis-dev.io/hook": "pre-delete" } } } },
  });
});

test("a hook of both events runs before the deletions", () => {
  const { deletionHooks } = rendered([hook("both", ["post-delete", "pre-delete"])]);
  expect(deletionHooks.map(({ event }) => event)).toEqual(["pre-delete"]);
});

const object = (apiVersion: string, kind: string, more = "", metadata = "") =>
  `{apiVersion: ${apiVersion}, kind: ${kind}, metadata: {name: a${metadata}}${more}}`;

test.each([
  ["v1", "ConfigMap"],
  ["v1", "Secret"],
  ["v1", "ServiceAccount"],
  ["rbac.authorization.k8s.io/v1", "Role"],
  ["rbac.authorization.k8s.io/v1", "ClusterRoleBinding"],
])("a %s %s of a deletion is created for its Jobs", (apiVersion, kind) => {
  const { deletionHooks, notices } = rendered([
    hook("a", ["pre-delete"], { kind, text: object(apiVersion, kind) }),
  ]);
  expect(deletionHooks).toHaveLength(1);
  expect(notices).toEqual([]);
});

test.each([
  ["v1", "PersistentVolumeClaim"],
  ["v1", "Namespace"],
  ["v1", "Pod"],
  ["apiextensions.k8s.io/v1", "CustomResourceDefinition"],
  ["snapshot.storage.k8s.io/v1", "VolumeSnapshot"],
  ["example.com/v1", "Job"],
])("no deletion runs a hook %s %s, because its deletion might delete data", (apiVersion, kind) => {
  const { deletionHooks, notices } = rendered([
    hook("a", ["pre-delete"], { kind, text: object(apiVersion, kind) }),
  ]);
  expect(deletionHooks).toEqual([]);
  expect(notices).toMatchObject([
    { code: "hook-left-out", what: `No deletion runs hook ${kind} a`, why: expect.any(String) },
  ]);
});

test.each([
  ["suspended", object("batch/v1", "Job", ", spec: {suspend: true, template: {}}"), "suspended"],
  ["without Pods", object("batch/v1", "Job", ", spec: {parallelism: 0, template: {}}"), "is 0"],
  [
    "kept by its chart",
    object("v1", "Secret", "", ', annotations: {helm.sh/resource-policy: " Keep "}'),
    "annotation keeps it",
  ],
  [
    "kept by keepOnDelete",
    object("v1", "Secret", "", ", annotations: {vs.axis-dev.io/keepOnDelete: a}"),
    "annotation keeps it",
  ],
  ["unreadable", "{kind: X}", "This document isn't a Kubernetes object"],
])("no deletion runs a hook that is %s, and a notice has the reason", (_, text, why) => {
  const { deletionHooks, notices } = rendered([hook("a", ["post-delete"], { text })]);
  expect(deletionHooks).toEqual([]);
  expect(notices).toMatchObject([{ code: "hook-left-out", why: expect.stringContaining(why) }]);
});

test("a hook with the name of another object, or of an earlier hook, is left out with a notice", () => {
  const named = (name: string, namespace?: string): JsonObject => ({
    ...{ apiVersion: "v1", kind: "ConfigMap" },
    metadata: namespace === undefined ? { name } : { name, namespace },
  });
  const { hooks, notices } = withoutNameConflicts(
    [
      { event: "pre-delete", object: named("settings", "shop") },
      { event: "pre-delete", object: named("own", "shop") },
      { event: "post-delete", object: named("own", "shop") },
    ],
    [named("settings")],
    "shop",
  );
  expect(hooks.map(({ event, object }) => [event, textAt(object, "metadata", "name")])).toEqual([
    ["pre-delete", "own"],
  ]);
  expect(notices.map(({ what }) => what)).toEqual([
    "No deletion runs hook ConfigMap shop/settings",
    "No deletion runs hook ConfigMap shop/own",
  ]);
});

test("a hook in a template with random values is marked", () => {
  const differences = [{ template: "web/templates/a.yaml", kind: "Job", name: "", path: [] }];
  const { deletionHooks } = rendered([hook("a", ["pre-delete"]), hook("b", ["pre-delete"])], {
    differences,
  });
  expect(deletionHooks.map(({ isRandom }) => isRandom)).toEqual([true, undefined]);
});

test("a cluster-scoped hook gets no namespace", () => {
  const kind = "ClusterRole";
  const text = `{apiVersion: rbac.authorization.k8s.io/v1, kind: ${kind}, metadata: {name: a}}`;
  const [found] = rendered([hook("a", ["pre-delete"], { kind, text })]).deletionHooks;
  expect(found?.object).toEqual({
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind,
    metadata: { name: "a" },
  });
});
