import { expect, test } from "vitest";
import { parse } from "yaml";
import type { Change, Plan } from "../../../../src/model/plan/plan.ts";
import type { ClusterFacts } from "../../../../src/preflight/cluster-facts.ts";
import {
  fieldDropped,
  fieldDroppedByDefault,
} from "../../../../src/preflight/rules/field-dropped.ts";
import { redactedChange } from "../../../../src/redaction/redacted-change.ts";

/** Returns a change whose dry-run stored this object. */
function changeOf(declared: string, stored: string, more: Partial<Change> = {}): Change {
  const objectOf = (content: string, kind: string) => ({
    ...{ apiVersion: "v1", kind, metadata: { name: "a" } },
    ...parse(content),
  });
  const id = { group: "", kind: "Thing", namespace: "shop", name: "a", ...more.id };
  return {
    ...{ key: "a", id, action: "create", certainty: { by: "server" } },
    desired: objectOf(declared, id.kind),
    predicted: objectOf(stored, id.kind),
    ...more,
  } as unknown as Change;
}

function found(declared: string, stored: string, more: Partial<Change> = {}): readonly string[] {
  const changes = [changeOf(declared, stored, more)];
  const plan = { changes } as unknown as Plan;
  return fieldDropped({ plan, placeOf: () => undefined }).map(({ what }) =>
    what.replace(/^.* does not store /, ""),
  );
}

test.each([
  [
    "a number",
    "spec: {a: {b: 2}}",
    "spec: {a: {c: 0}}",
    "Thing shop/a: spec.a.b isn't stored by the API server",
  ],
  [
    "an object",
    "spec: {a: {b: {c: x}}}",
    "spec: {}",
    "Thing shop/a: spec.a isn't stored by the API server",
  ],
  [
    "null instead",
    "spec: {a: {b: x}}",
    "spec: {a: null}",
    "Thing shop/a: spec.a isn't stored by the API server",
  ],
  [
    "a field of an item, found by its name",
    "spec: {containers: [{name: a, r: [x]}, {name: b, s: 1}]}",
    "spec: {containers: [{name: b, s: 1}, {name: a}, {name: c}]}",
    'Thing shop/a: spec.containers[name="a"].r isn\'t stored by the API server',
  ],
  [
    "a field of an item at an index",
    "l: [{a: [1], b: 2}]",
    "l: [{a: [1]}]",
    "Thing shop/a: l[0].b isn't stored by the API server",
  ],
  [
    "an annotation",
    "metadata: {name: a, annotations: {x: y}}",
    "spec: {}",
    "Thing shop/a: metadata.annotations.x isn't stored by the API server",
  ],
  [
    "several",
    "spec: {a: 1, b: x, c: 1}",
    "spec: {c: 1}",
    "Thing shop/a: spec.a, spec.b aren't stored by the API server",
  ],
])("%s that the API server drops is reported", (_, declared, stored, fields) => {
  expect(found(declared, stored)).toEqual([fields]);
  expect(found(declared, stored, { action: "unchanged" })).toEqual([fields]);
});

test.each([
  ["nothing", "spec: {a: null, b: '', c: 0, d: false, e: {}, f: []}", "spec: {}"],
  ["an empty object", "spec: {a: {b: {c: ''}, d: [{}]}}", "spec: {}"],
  ["another value", "spec: {cpu: 0.5, x: [a]}", "spec: {cpu: 500m, x: [b]}"],
  ["a status", "status: {phase: x}", "spec: {}"],
  ["metadata that the server sets", "metadata: {name: a, uid: x, finalizers: [y]}", "spec: {}"],
  [
    "items without names between those of other managers",
    "l: [{a: 1}, {b: 2}]",
    "l: [{c: 1}, {a: 1}, {b: 2}]",
  ],
  ["a missing item", "l: [{a: 1}, {a: 1}]", "l: [{a: 1}]"],
])("%s isn't reported as dropped", (_, declared, stored) => {
  expect(found(declared, stored)).toEqual([]);
});

test("Secrets, partial objects and objects without a dry-run aren't compared", () => {
  const sides = ["stringData: {a: x}", "data: {a: eA==}"] as const;
  const secret = { group: "", kind: "Secret", namespace: "shop", name: "a" };
  expect(found(...sides)).toEqual(["Thing shop/a: stringData isn't stored by the API server"]);
  expect(found(...sides, { id: secret })).toEqual([]);
  expect(found(...sides, { certainty: { by: "comparison" } })).toEqual([]);
  expect(found(...sides, { certainty: { by: "unchecked", reason: "x" } })).toEqual([]);
  expect(found(...sides, { predicted: undefined })).toEqual([]);
});

test("a new object is shown without the field that the API server drops", () => {
  const change = changeOf("spec: {a: {b: 2, c: 1}}", "spec: {a: {c: 1, d: 3}}");
  expect(redactedChange(change, []).after).toMatchObject({ spec: { a: { c: 1 } } });
  expect(JSON.stringify(redactedChange(change, []).after)).not.toContain('"b"');
});

const pod =
  "{containers: [{name: web, restartPolicyRules: [{action: Restart}]}], hostnameOverride: a}";
const template = `spec: {template: {spec: ${pod}}}`;

function foundByDefault(minor: number | undefined, more: Partial<Change>): readonly string[] {
  const id = { group: "apps", kind: "Deployment", namespace: "shop", name: "a" };
  const change = { ...changeOf(template, template, { id, ...more }), predicted: undefined };
  const desired = { ...change.desired, apiVersion: "apps/v1" };
  const plan = { changes: [{ ...change, desired }] } as unknown as Plan;
  const server = minor === undefined ? undefined : { major: 1, minor };
  const facts = { server } as ClusterFacts;
  const input = {
    plan,
    facts,
    placeOf: () => undefined,
    releases: { declared: new Set<string>() },
  };
  return fieldDroppedByDefault(input).map(({ what, why }) => `${what}. ${why}`);
}

const unchecked = {
  certainty: { by: "unchecked", reason: "its namespace doesn't exist" },
} as const;

test("fields that a server of this version drops are reported without an answer, too", () => {
  expect(foundByDefault(34, unchecked)).toEqual([
    "Deployment shop/a: Kubernetes 1.34 doesn't store spec.template.spec.containers[name=\"web\"].restartPolicyRules, spec.template.spec.hostnameOverride by default. The API server drops fields of a feature gate that is off: HostnameOverride (on since Kubernetes 1.35), ContainerRestartRules (on since Kubernetes 1.35). qvs can't send a dry run for the object yet",
  ]);
  expect(foundByDefault(35, unchecked)).toEqual([]);
  expect(foundByDefault(undefined, unchecked)).toEqual([]);
  expect(foundByDefault(34, { ...unchecked, action: "update" })).toEqual([]);
  expect(foundByDefault(34, { certainty: { by: "server" } })).toEqual([]);
  expect(foundByDefault(34, { certainty: { by: "refused", reason: "x" } })).toEqual([]);
});

const crdGroup = "apiextensions.k8s.io";
const definitionOf = (versions: string) =>
  changeOf("{}", "{}", {
    id: { group: crdGroup, kind: "CustomResourceDefinition", namespace: "", name: "things" },
    action: "unchanged",
    predicted: parse(
      `{apiVersion: ${crdGroup}/v1, kind: CustomResourceDefinition, metadata: {name: things}, spec: {group: example.com, names: {kind: Thing}, versions: [${versions}]}}`,
    ),
  });
const version = (name: string, storage: boolean, fields: string) =>
  `{name: ${name}, storage: ${storage}, schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {${fields}}}}}}}`;

test("a field of a new object in a new namespace, if an unchanged definition stores another version", () => {
  const thing = changeOf("{apiVersion: example.com/v2, spec: {a: 1, b: x}}", "{}", {
    id: { group: "example.com", kind: "Thing", namespace: "new", name: "a" },
    certainty: { by: "schema", reason: "its namespace is created by this deployment" },
    predicted: undefined,
  });
  const foundWith = (...versions: readonly string[]) => {
    const plan = { changes: [definitionOf(versions.join(", ")), thing] } as unknown as Plan;
    return fieldDropped({ plan, placeOf: () => undefined }).map(
      ({ what, why }) => `${what}. ${why}`,
    );
  };
  const [narrow, wide] = ["a: {type: integer}", "a: {type: integer}, b: {type: string}"];
  expect(foundWith(version("v1", true, narrow), version("v2", false, wide))).toEqual([
    "Thing new/a: spec.b isn't stored by the API server. The API server stores the object in another version of its CustomResourceDefinition, which doesn't have the field",
  ]);
  expect(foundWith(version("v1", true, wide), version("v2", false, wide))).toEqual([]);
  expect(foundWith(version("v2", true, wide))).toEqual([]);
});

test("a value that a Service of the new type can't have names the next update", () => {
  const declared = "spec: {type: ClusterIP, externalTrafficPolicy: Local}";
  const service = changeOf(declared, "spec: {type: ClusterIP}", {
    id: { group: "", kind: "Service", namespace: "shop", name: "a" },
  });
  const plan = { changes: [service] } as unknown as Plan;
  expect(fieldDropped({ plan, placeOf: () => undefined }).map(({ why }) => why)).toEqual([
    "A Service of type ClusterIP can't have the value. The API server drops it in this update, and rejects the next update that declares it",
  ]);
});

test.each([
  ["another version", "v1", ["Thing shop/a: spec.b isn't stored by the API server"]],
  ["the declared version", "v2", []],
])("a field that a changing definition drops if it stores %s", (_, stored, expected) => {
  const crd = "apiextensions.k8s.io";
  const definition = changeOf("{}", "{}", {
    id: { group: crd, kind: "CustomResourceDefinition", namespace: "", name: "things" },
    predicted: parse(
      `{apiVersion: ${crd}/v1, kind: CustomResourceDefinition, metadata: {name: things}, spec: {group: example.com, names: {kind: Thing}, versions: [{name: ${stored}, storage: true}]}}`,
    ),
  });
  const object = (spec: string) => `{apiVersion: example.com/v2, spec: ${spec}}`;
  const thing = changeOf(object("{a: 1, b: x}"), object("{a: 1}"), {
    id: { group: "example.com", kind: "Thing", namespace: "shop", name: "a" },
    certainty: { by: "schema", reason: "its definition changes" },
  });
  const plan = { changes: [definition, thing] } as unknown as Plan;
  expect(fieldDropped({ plan, placeOf: () => undefined }).map(({ what }) => what)).toEqual(
    expected,
  );
});
