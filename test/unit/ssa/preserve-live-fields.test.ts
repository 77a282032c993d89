import { expect, test } from "vitest";
import { parse } from "yaml";
import type { KubeObject } from "../../../src/model/object.ts";
import { preserveLiveFields, recreatedState } from "../../../src/ssa/preserve-live-fields.ts";

const set = (more: string) =>
  parse(`{apiVersion: apps/v1, kind: StatefulSet, ${more}}`) as KubeObject;

const replicas = [["spec", "replicas"].map((name) => ({ type: "field", name }) as const)];

test.each([
  ["an owner", "f:replicas: {}"],
  // The API server records no owner of a default that an autoscaler has changed.
  ["no owner", "f:serviceName: {}"],
])("a recreated object keeps a number of replicas with %s", (_, fields) => {
  const live = set(
    `metadata: {name: db, managedFields: [{manager: m, operation: Update, fieldsV1: {f:spec: {${fields}}}}]}, spec: {serviceName: db, replicas: 3}`,
  );
  const declared = set("metadata: {name: db}, spec: {serviceName: db}");
  const kept = preserveLiveFields(declared, recreatedState(live), replicas);
  expect(kept.spec).toEqual({ serviceName: "db", replicas: 3 });
});

test("a recreated object gets no live values of fields without an owner", () => {
  const live = set(
    "metadata: {name: db, managedFields: [{manager: m, operation: Update, fieldsV1: {f:metadata: {f:labels: {}}}}]}, spec: {serviceName: db, podManagementPolicy: Parallel}",
  );
  const declared = set("metadata: {name: db}, spec: {serviceName: db}");
  expect(preserveLiveFields(declared, recreatedState(live), replicas).spec).toEqual(declared.spec);
});

test("an empty map that isn't stored is sent again, because qvs owns it", () => {
  const live = {
    ...set("spec: {template: {metadata: {labels: {a: b}}, spec: {image: 2}}}"),
    metadata: { name: "db" },
  };
  const state = {
    live,
    ours: {
      "f:spec": { "f:template": parse("{f:metadata: {f:annotations: {}}, f:spec: {f:image: {}}}") },
    },
    others: [],
  };
  const declared = set(
    "metadata: {name: db}, spec: {template: {metadata: {annotations: {}}, spec: {image: 1}}}",
  );
  const template = [["spec", "template"].map((name) => ({ type: "field", name }) as const)];
  expect(preserveLiveFields(declared, state, template).spec).toEqual({
    template: { metadata: { annotations: {} }, spec: { image: 2 } },
  });
});
