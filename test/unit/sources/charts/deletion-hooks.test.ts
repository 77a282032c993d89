import { expect, test } from "vitest";
import { toJson } from "../../../../src/config/read-typed.ts";
import { textAt } from "../../../../src/model/json.ts";
import type { HookEvent, RenderedChart, RenderedHook } from "../../../../src/ports/render.ts";
import { chartObjects } from "../../../../src/sources/charts/chart-objects.ts";

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
function rendered(hooks: readonly RenderedHook[]) {
  const chart: RenderedChart = {
    chart: { name: "web", version: "1.0.0", appVersion: "" },
    ...{ manifests: [], crds: [], hooks, notes: "", notices: [] },
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

test("a hook of a deletion isn't an object of the deployment, unless it has another event", () => {
  const { stages, deletionHooks } = rendered([
    hook("only", ["pre-delete"]),
    hook("both", ["pre-install", "pre-delete"]),
  ]);
  const deployed = [...stages.appSetup, ...stages.app];
  expect(deployed.map((each) => textAt(toJson(each), "metadata", "name"))).toEqual(["both"]);
  expect(deletionHooks.map(({ isDeployed }) => isDeployed)).toEqual([true, undefined]);
});

test("the Pod template of a Job names the event, so that a Job of an installation runs again", () => {
  const [found] = rendered([hook("both", ["pre-install", "pre-delete"])]).deletionHooks;
  expect(found?.object).toMatchObject({
    metadata: { namespace: "shop", annotations: { "vs.axis-dev.io/allow": "job-runs-again" } },
    spec: { template: { metadata: { annotations: { "vs.axis-dev.io/hook": "pre-delete" } } } },
  });
});

test("a hook of both events runs before the deletions", () => {
  const { deletionHooks } = rendered([hook("both", ["post-delete", "pre-delete"])]);
  expect(deletionHooks.map(({ event }) => event)).toEqual(["pre-delete"]);
});

test("only the policy hook-failed deletes a hook that failed", () => {
  const { deletionHooks } = rendered([
    hook("a", ["pre-delete"], { deletePolicies: ["hook-succeeded", "before-hook-creation"] }),
    hook("b", ["pre-delete"], { deletePolicies: ["hook-failed"] }),
  ]);
  expect(deletionHooks.map(({ deletesFailed }) => deletesFailed)).toEqual([undefined, true]);
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

test("a hook that isn't an object is an error in its template", () => {
  expect(() => rendered([hook("a", ["post-delete"], { text: "{kind: X}" })])).toThrow(
    "This document isn't a Kubernetes object",
  );
});
