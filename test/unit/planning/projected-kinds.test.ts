import { expect, test } from "vitest";
import { apiNames } from "../../../src/model/cluster/api/served-apis.ts";
import { idOf, type KubeObject, keyOf } from "../../../src/model/object.ts";
import { isKind, projectedApis, projectKind } from "../../../src/planning/projected-kinds.ts";
import { fakeCluster } from "../../support/fake-cluster.ts";

const kind = (name: string, version = "v1") => ({
  ...{ group: "a.example", version, kind: name, plural: `${name.toLowerCase()}s` },
  ...{ namespaced: true, listable: true },
});

const now = [kind("Stays"), kind("Goes"), kind("Changes", "v1beta1")];

/** Returns the APIs after one definition is deleted, one changes and one is created. */
function afterwards() {
  const apis = { kinds: now, names: apiNames(now), unreadable: [] };
  const cluster = {
    ...fakeCluster(),
    apis: async () => ({ ok: true as const, value: apis }),
    servesApi: async (name: string) => ({ ok: true as const, value: name === "late.example/v1" }),
  };
  const live: KubeObject = {
    ...{ apiVersion: "apiextensions.k8s.io/v1", kind: "CustomResourceDefinition" },
    metadata: { name: "goess.a.example" },
  };
  const deleted = new Map([[keyOf(idOf(live)), { deployment: "platform", live }]]);
  return projectedApis(cluster, { deleted, kinds: [kind("Changes"), kind("New")] });
}

test("the APIs are those after the earlier deployments", async () => {
  const answer = await afterwards().apis();
  expect(answer.ok && answer.value.names).toEqual([
    ...["a.example/v1", "a.example/v1/Stays", "a.example/v1/Changes", "a.example/v1/New"],
  ]);
});

test.each([
  ["a.example/v1/New", true],
  ["a.example/v1/Changes", true],
  ["a.example/v1/Stays", true],
  ["a.example/v1/Goes", false],
  ["a.example/v1beta1/Changes", false],
  ["a.example/v1beta1", false],
  ["late.example/v1", true],
  ["b.example/v1", false],
])("after the earlier deployments, the answer to %s is %s", async (name, isServed) => {
  expect(await afterwards().servesApi(name)).toEqual({ ok: true, value: isServed });
});

test("a version that a changed definition stops serving ends", () => {
  const projected = { deleted: new Map(), kinds: [kind("Changes")] };
  const ask = (version: string) => {
    const answer = { ok: true, value: kind("Changes", version) } as const;
    const apiVersion = `a.example/${version}`;
    return projectKind(answer, projected, (each) => isKind(each, { apiVersion, kind: "Changes" }));
  };
  expect(ask("v1beta1")).toMatchObject({ ok: false, failure: { reason: "unknown-kind" } });
  expect(ask("v1")).toMatchObject({ ok: true, value: { version: "v1" } });
  // A question for the preferred version gets another one.
  const old = { ok: true, value: kind("Changes", "v1beta1") } as const;
  expect(projectKind(old, projected, () => true)).toMatchObject({ value: { version: "v1" } });
});
