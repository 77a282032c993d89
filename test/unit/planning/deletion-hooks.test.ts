import { expect, test } from "vitest";
import { defaultRequest } from "../../../src/model/deployments/deploy-request.ts";
import type { Deployment } from "../../../src/model/deployments/deployment.ts";
import type { Release } from "../../../src/model/deployments/release.ts";
import { createReleaseHistory } from "../../../src/model/deployments/release-history.ts";
import type { DeletionHook } from "../../../src/model/plan/deletion.ts";
import { withDeletionHooks } from "../../../src/planning/deletion-hooks.ts";
import { emptyDesiredState, recordedState } from "../../../src/planning/desired-state.ts";
import { release } from "../../support/plan/release-from.ts";

const hook = (name: string, event: DeletionHook["event"] = "pre-delete"): DeletionHook => ({
  event,
  object: { apiVersion: "v1", kind: "ConfigMap", metadata: { name, namespace: "shop" } },
});

const deployed = (revision: number, hooks: readonly DeletionHook[], changes = {}): Release => ({
  ...release(revision, "succeeded", { names: ["settings"] }),
  deletionHooks: hooks,
  ...changes,
});

const deployment = { name: "shop", namespace: "shop" } as Deployment;

function planned(
  releases: readonly Release[],
  request = defaultRequest,
  given = emptyDesiredState,
) {
  return withDeletionHooks(given, createReleaseHistory(releases), { request, deployment });
}

function hookIds(...given: Parameters<typeof planned>): readonly string[] {
  return planned(...given).manifests.map(({ id }) => id);
}

test("a deletion runs the hooks of the current release in their order, each after the one before", () => {
  const hooks = [hook("b"), hook("a"), hook("c", "post-delete"), hook("d", "post-delete")];
  const { manifests } = planned([deployed(1, [hook("old")]), deployed(2, hooks)]);
  expect(manifests.map(({ id, dependsOn }) => [id, ...dependsOn])).toEqual([
    ["pre-delete/configmap/shop/b"],
    ["pre-delete/configmap/shop/a", "pre-delete/configmap/shop/b"],
    ["post-delete/configmap/shop/c"],
    ["post-delete/configmap/shop/d", "post-delete/configmap/shop/c"],
  ]);
  expect(manifests[0]).toMatchObject({ hook: { event: "pre-delete" }, isLiteral: true });
});

test.each<[string, Release[]]>([
  ["no release", []],
  ["a release without hooks", [release(1, "succeeded", { names: ["settings"] })]],
  [
    "an earlier deletion that kept objects and has already run the hooks",
    [
      deployed(1, [hook("a")]),
      deployed(2, [hook("a")], { expandedConfig: [], source: { commit: undefined } }),
    ],
  ],
  [
    "a preview environment",
    [deployed(1, [hook("a")], { environment: { number: 1, namespace: "shop-pr-1" } })],
  ],
])("a deletion after %s runs no hooks", (_, releases) => {
  expect(hookIds(releases)).toEqual([]);
});

test("a deletion after a failed attempt runs the hooks of the deployment", () => {
  const attempt = { status: "failed", expandedConfig: [], source: { commit: undefined } };
  expect(hookIds([deployed(1, [hook("a")]), deployed(2, [hook("a")], attempt)])).toEqual([
    "pre-delete/configmap/shop/a",
  ]);
});

test("if no release succeeded, a deletion runs the hooks of the newest one", () => {
  const failed = { status: "failed" };
  const releases = [deployed(1, [hook("a")], failed), deployed(2, [hook("b")], failed)];
  expect(hookIds(releases)).toEqual(["pre-delete/configmap/shop/b"]);
});

test("a request without hooks runs none, and neither does a rollback", () => {
  const releases = [deployed(1, [hook("a")])];
  expect(hookIds(releases, { ...defaultRequest, runsHooks: false })).toEqual([]);
  const [target] = releases;
  if (target === undefined) throw new Error("it exists");
  const rollback = recordedState(target, createReleaseHistory(releases));
  expect(planned(releases, defaultRequest, rollback)).toBe(rollback);
  expect(rollback.deletionHooks).toEqual([hook("a")]);
});

test("a hook with the name of another object of the deployment blocks the deletion", () => {
  const { unsupported } = planned([deployed(1, [hook("settings")])]);
  expect(unsupported).toMatchObject([
    {
      code: "duplicate-object",
      what: "Hook ConfigMap shop/settings has the name of an object of the deployment",
      fix: "Delete without hooks: add --no-hooks",
    },
  ]);
});

test("a hook with the name of an object that only an earlier release deployed blocks the deletion", () => {
  const [failed] = [release(1, "failed", { names: ["old"] })];
  const releases = [failed, deployed(2, [hook("old")], { status: "failed" })];
  expect(planned(releases).unsupported).toMatchObject([
    { what: "Hook ConfigMap shop/old has the name of an object of the deployment" },
  ]);
});

test("an object that an earlier attempt of the deletion created doesn't block the deletion", () => {
  const attempt = {
    ...release(2, "failed", { names: ["made-by-hook"] }),
    ...{ deletionHooks: [hook("made-by-hook")], expandedConfig: [] },
    source: { commit: undefined } as Release["source"],
  };
  const releases = [deployed(1, [hook("made-by-hook")]), attempt];
  expect(planned(releases).unsupported).toEqual([]);
});

test("a recorded hook of another kind, which only a changed record can contain, blocks the deletion", () => {
  const { object } = hook("data");
  const claim: DeletionHook = {
    event: "pre-delete",
    object: { ...object, kind: "PersistentVolumeClaim" },
  };
  expect(planned([deployed(1, [claim])]).unsupported).toMatchObject([
    { what: "No deletion can run hook PersistentVolumeClaim shop/data" },
  ]);
});

test("the Job of a hook names the deployed release, in every attempt of its deletion", () => {
  const job = (event: string): DeletionHook => {
    const annotations = { "vs.axis-dev.io/hook": event };
    const template = { metadata: { annotations } };
    const metadata = { name: "job", namespace: "shop" };
    const object = { apiVersion: "batch/v1", kind: "Job", metadata, spec: { template } };
    return { event: "pre-delete", object };
  };
  const attempt = { status: "failed", expandedConfig: [], source: { commit: undefined } };
  const hooks = [job("pre-delete")];
  for (const status of ["succeeded", "failed"]) {
    const releases = [deployed(3, hooks, { status }), deployed(4, hooks, attempt)];
    const state = planned(releases);
    expect(state.manifests.map(({ object }) => object)).toEqual([
      job("pre-delete of release 3").object,
    ]);
    expect(state.deletionHooks).toEqual(hooks);
  }
});
