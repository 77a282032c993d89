import { expect, test } from "vitest";
import { parse } from "yaml";
import type { JsonObject } from "../../../../src/model/json.ts";
import type { KubeObject } from "../../../../src/model/object.ts";
import {
  compareWithLive,
  type LiveComparison,
} from "../../../../src/plan/changes/compare-with-live.ts";

const manager = "qvs-shop-test-app";

/**
 * Compares `desired` and `live`, given without apiVersion, kind and name. `owned` is the fieldsV1
 * of qvs.
 */
function check(
  expected: LiveComparison,
  { desired, live, owned }: { desired: string; live: string; owned: string | undefined },
): void {
  const entry = {
    manager,
    operation: "Apply",
    apiVersion: "apps/v1",
    fieldsV1: fields(owned ?? ""),
  };
  const managedFields = [
    { manager: "somebody", operation: "Update", apiVersion: "apps/v1", fieldsV1: {} },
    ...(owned === undefined ? [] : [entry]),
  ];
  const found = object(live, { managedFields, uid: "1", resourceVersion: "7" });
  expect(compareWithLive(object(desired, {}), found, manager)).toBe(expected);
}

function object(yaml: string, metadata: JsonObject): KubeObject {
  const rest = parse(yaml) as JsonObject;
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    ...rest,
    metadata: { name: "web", namespace: "shop", ...(rest.metadata as JsonObject), ...metadata },
  };
}

function fields(yaml: string): JsonObject {
  return (parse(yaml) ?? {}) as JsonObject;
}

test("a fully owned and equal object is unchanged, whatever other fields it has", () => {
  check("unchanged", {
    desired: "{metadata: {labels: {a: x}}, spec: {paused: true, replicas: 3}}",
    live: "{metadata: {labels: {a: x, b: y}}, spec: {paused: true, replicas: 3, strategy: {}}, status: {replicas: 3}}",
    owned:
      '{"f:metadata": {"f:labels": {"f:a": {}}}, "f:spec": {"f:paused": {}, "f:replicas": {}}}',
  });
});

test("an object that qvs never applied is changed, even if its fields are equal", () => {
  check("changed", {
    desired: "{spec: {paused: true}}",
    live: "{spec: {paused: true}}",
    owned: undefined,
  });
});

test("a field that qvs doesn't own yet is changed", () => {
  check("changed", {
    desired: "{spec: {paused: true, replicas: 3}}",
    live: "{spec: {paused: true, replicas: 3}}",
    owned: '{"f:spec": {"f:paused": {}}}',
  });
});

test("a field that qvs owns but no longer sends is changed", () => {
  check("changed", {
    desired: "{spec: {paused: true}}",
    live: "{spec: {paused: true, replicas: 3}}",
    owned: '{"f:spec": {"f:paused": {}, "f:replicas": {}}}',
  });
});

test("a different string is changed, a different number or quantity is unknown", () => {
  const owned = '{"f:spec": {"f:x": {}}}';
  check("changed", { desired: "{spec: {x: web:2}}", live: "{spec: {x: web:1}}", owned });
  check("unknown", { desired: "{spec: {x: 1000m}}", live: '{spec: {x: "1"}}', owned });
  check("unknown", { desired: "{spec: {x: 0.5}}", live: "{spec: {x: 500m}}", owned });
  check("unknown", { desired: "{spec: {x: 1}}", live: "{spec: {}}", owned });
});

const containers =
  '{"f:spec": {"f:containers": {"k:{\\"name\\":\\"a\\"}": {".": {}, "f:name": {}, "f:image": {}}, "k:{\\"name\\":\\"b\\"}": {".": {}, "f:name": {}}}}}';

test("list items are matched by key, and other items can be between them", () => {
  check("unchanged", {
    desired: "{spec: {containers: [{name: a, image: x}, {name: b}]}}",
    live: "{spec: {containers: [{name: a, image: x, tty: false}, {name: sidecar}, {name: b}]}}",
    owned: containers,
  });
});

test("reordered list items need a dry-run, an added or removed item is changed", () => {
  const live = "{spec: {containers: [{name: b}, {name: a, image: x}]}}";
  check("unknown", {
    desired: "{spec: {containers: [{name: a, image: x}, {name: b}]}}",
    live,
    owned: containers,
  });
  check("changed", {
    desired: "{spec: {containers: [{name: a, image: x}]}}",
    live,
    owned: containers,
  });
  check("changed", {
    desired: "{spec: {containers: [{name: a, image: y}, {name: b}]}}",
    live: "{spec: {containers: [{name: a, image: x}, {name: b}]}}",
    owned: containers,
  });
});

test("a different atomic list is unknown, because it might contain only defaults", () => {
  const owned = '{"f:spec": {"f:args": {}}}';
  check("unchanged", { desired: "{spec: {args: [a, b]}}", live: "{spec: {args: [a, b]}}", owned });
  check("unknown", { desired: "{spec: {args: [a]}}", live: "{spec: {args: [a, b]}}", owned });
  check("unknown", {
    desired: "{spec: {args: [{a: 1}]}}",
    live: "{spec: {args: [{a: 1, b: 2}]}}",
    owned,
  });
});

test("the API server might not store an owned empty value", () => {
  const owned =
    '{"f:spec": {"f:template": {"f:metadata": {"f:annotations": {}, "f:labels": {"f:a": {}}}}}}';
  const desired = "{spec: {template: {metadata: {annotations: {}, labels: {a: b}}}}}";
  check("unchanged", { desired, live: "{spec: {template: {metadata: {labels: {a: b}}}}}", owned });
  const live = "{spec: {template: {metadata: {annotations: {x: y}, labels: {a: b}}}}}";
  check("unknown", { desired, live, owned });
  const others = '{"f:spec": {"f:template": {"f:metadata": {"f:labels": {"f:a": {}}}}}}';
  check("changed", {
    desired,
    live: "{spec: {template: {metadata: {labels: {a: b}}}}}",
    owned: others,
  });
});

test("sets are compared by value", () => {
  const owned = '{"f:metadata": {"f:finalizers": {".": {}, "v:\\"a\\"": {}}}}';
  check("unchanged", {
    desired: "{metadata: {finalizers: [a]}}",
    live: "{metadata: {finalizers: [z, a]}}",
    owned,
  });
  check("unknown", {
    desired: "{metadata: {finalizers: [b]}}",
    live: "{metadata: {finalizers: [a, b]}}",
    owned,
  });
});

test("a list without an item that another manager removed isn't unchanged", () => {
  check("unknown", {
    desired: "{spec: {containers: [{name: a, image: x}, {name: b}]}}",
    live: "{spec: {containers: [{name: a, image: x}]}}",
    owned: containers,
  });
});

test("fields of another API version can't be compared", () => {
  const live = object("{spec: {paused: true}}", {
    managedFields: [
      {
        manager,
        operation: "Apply",
        apiVersion: "apps/v1beta1",
        fieldsV1: { "f:spec": { "f:paused": {} } },
      },
    ],
  });
  expect(compareWithLive(object("{spec: {paused: true}}", {}), live, manager)).toBe("unknown");
});

test("ownership of a subresource or by an update doesn't count", () => {
  const fieldsV1 = { "f:spec": { "f:paused": {} } };
  for (const entry of [
    { manager, operation: "Update", apiVersion: "apps/v1", fieldsV1 },
    { manager, operation: "Apply", subresource: "scale", apiVersion: "apps/v1", fieldsV1 },
    { manager: "other", operation: "Apply", apiVersion: "apps/v1", fieldsV1 },
  ]) {
    const live = object("{spec: {paused: true}}", { managedFields: [entry] });
    expect(compareWithLive(object("{spec: {paused: true}}", {}), live, manager)).toBe("changed");
  }
});
