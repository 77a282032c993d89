import { expect, test } from "vitest";
import type { JsonObject } from "../../../src/model/json.ts";
import { showableRejection } from "../../../src/redaction/showable-rejection.ts";

const secret: JsonObject = { kind: "Secret", data: { pin: 987654, db: { password: "hunter2" } } };
const other: JsonObject = { kind: "ConfigMap", data: {} };

const schemaError = (lines: string) =>
  `failed to create typed patch object (shop/s; /v1, Kind=Secret): ${lines}`;

test.each([
  [
    "a value of the wrong type",
    "other",
    schemaError(".data.pin: expected string, got &value.valueUnstructured{Value:987654}"),
    "a value has the wrong type (data.pin)",
  ],
  [
    "an object instead of a value",
    "other",
    schemaError(
      '.data.db: expected string, got &value.valueUnstructured{Value:map[string]interface {}{"password":"hunter2"}}',
    ),
    "a value has the wrong type (data.db)",
  ],
  [
    "a webhook that quotes the value",
    "forbidden",
    'admission webhook "policy.example" denied the request: User "hunter2" cannot get resource "x"',
    'admission webhook "policy.example" denied the request',
  ],
  [
    "a missing permission",
    "forbidden",
    'secrets "s" is forbidden: User "ci" cannot patch resource "secrets" in API group "" in the namespace "shop"',
    'secrets "s" is forbidden: User "ci" cannot patch resource "secrets" in API group "" in the namespace "shop"',
  ],
  [
    "a quota",
    "forbidden",
    'secrets "s" is forbidden: exceeded quota: small, requested: hunter2',
    "exceeded quota: small",
  ],
  [
    "a missing namespace",
    "not-found",
    'namespaces "shop" not found',
    'namespaces "shop" not found',
  ],
  ["any other message", "unreachable", "hunter2 987654", "there is no answer"],
])("a rejected Secret shows no values for %s", (_, reason, message, shown) => {
  expect(showableRejection({ reason, message, causes: [] }, secret).message).toBe(shown);
});

test.each([
  [
    "Invalid",
    "",
    "ValidatingAdmissionPolicy 'p.example' with binding 'b' denied request: hunter2 is weak",
    "",
    "ValidatingAdmissionPolicy 'p.example' with binding 'b' denied request",
  ],
  [
    "FieldValueInvalid",
    "data[pin]",
    'Invalid value: "hunter2": no',
    "data.pin",
    "the value is invalid",
  ],
  ["FieldValueForbidden", "data", "Forbidden: field is immutable", "data", "field is immutable"],
  ["FieldValueRequired", "data.db.hunter2", "hunter2", "data.db", "a value is required"],
  ["FieldValueInvalid", 'stringData["hunter2"]', "hunter2", "stringData", "the value is invalid"],
  ["NewReason", "metadata.name", "hunter2", "metadata.name", "the value is invalid"],
  [
    "FieldManagerConflict",
    ".data.pin",
    'conflict with "helm" using v1: hunter2',
    "data.pin",
    'conflict with "helm" using v1',
  ],
])(
  "a cause %s at a Secret's %s shows only the field and fixed words",
  (reason, field, message, place, words) => {
    const causes = [{ reason, field, message }];
    const shown = showableRejection({ reason: "invalid", message: "", causes }, secret);
    expect(shown.causes).toEqual([{ reason, field: place, message: words }]);
  },
);

test.each([
  ["Value:987654", "a number"],
  ['Value:map[string]interface {}{"a":"b\nc}"}', "an object"],
  ["Value:[]interface {}{1}", "a list"],
  ["Value:true", "a boolean"],
])("a dump of %s in a rejection of another object is shown as its type", (dump, type) => {
  const message = `.a: expected string, got &value.valueUnstructured{${dump}}\n  .b: expected list, got &{x}`;
  expect(showableRejection({ reason: "other", message, causes: [] }, other).message).toBe(
    `.a: expected string, got ${type}\n  .b: expected list, got a single value`,
  );
});

test.each([
  ["boolean", "&{true}", "a string"],
  ["boolean", "&{5}", "a string or a number"],
  ["boolean", "&{[1]}", "a list"],
  ["map", "&{5}", "a single value"],
  ["list", "&{map[a:1]}", "an object"],
  ["numeric (int or float)", "[]interface {}", "a list"],
  ["numeric (int or float)", "map[string]interface {}", "an object"],
  ["numeric (int or float)", "string", "string"],
])("the error for an expected %s shows %s as %s", (expected, dump, type) => {
  const message = `.a: expected ${expected}, got ${dump}`;
  const shown = showableRejection({ reason: "other", message, causes: [] }, other);
  expect(shown.message).toBe(`.a: expected ${expected}, got ${type}`);
});

test("faults of several fields are reported in one order", () => {
  const shownText = (lines: string) =>
    showableRejection(
      { reason: "other", message: schemaError(`errors:\n${lines}`), causes: [] },
      other,
    ).message;
  const [a, b] = ["  .a: expected list, got string", "  .b: field not declared in schema"];
  expect(shownText(`${b}\n${a}\n`)).toBe(shownText(`${a}\n${b}`));
});

test("the API server's message is shown for other objects", () => {
  const refusal = {
    reason: "invalid",
    message: 'spec.replicas: Invalid value: "many"',
    causes: [{ reason: "FieldValueInvalid", field: "spec", message: 'Invalid value: "many"' }],
  };
  expect(showableRejection(refusal, other)).toEqual(refusal);
});

test.each([
  ["fills a screen", `{"Spec":{${"x".repeat(300)}}}`],
  ["Go has printed", 'v1.LabelSelector{MatchLabels:map[string]string{"app":"web"}}'],
  ["Go has printed, with what ends one", 'core.X{A:"}: y", P:(*int64)(0x1ca2), B:[]string{"{"}}'],
  ["Go has printed as a list", 'map[string]core.X{"a":core.X{P:(*int64)(0x1ca2)}}'],
  ["Go has printed as a pointer", "&core.X{P:(*int64)(0x1ca2)}"],
  ["Go has printed, of many", 'core.PodTemplateSpec{Labels:map[string]string(nil), Name:"a\nb"}'],
])("a value that %s is replaced, and its fault is kept", (_, value) => {
  const message = `Invalid value: ${value}: field is immutable`;
  const cause = { reason: "FieldValueInvalid", field: "spec.template", message };
  const shownText = showableRejection({ reason: "invalid", message, causes: [cause] }, other);
  expect(shownText.causes[0]?.message).toBe("Invalid value: {…}: field is immutable");
  expect(shownText.message).toBe("Invalid value: {…}: field is immutable");
});

test("each of several values is shortened, and each fault is kept", () => {
  const long = `{"a":"${"x".repeat(300)}"}`;
  const given = (a: string, b: string, c: string) =>
    `[spec.a: Invalid value: ${a}: field is immutable, spec.b: Invalid value: ${b}: no, spec.c: Invalid value: "{": is {2}, spec.d: Invalid value: ${c}: is {3}]`;
  const message = given('core.A{B:"x", P:(*int64)(0x1ca2)}', long, '["a","b"]');
  const shownText = showableRejection({ reason: "invalid", message, causes: [] }, other);
  expect(shownText.message).toBe(given("{…}", "{…}", '["a","b"]'));
  const lists = given('[]core.A{core.A{B:"x"}}', `[${long}]`, '{"a":1}');
  const shown = showableRejection({ reason: "invalid", message: lists, causes: [] }, other);
  expect(shown.message).toBe(given("{…}", "[…]", '{"a":1}'));
});

test("a value that the API server truncated is removed to its end", () => {
  const message = 'Invalid value: core.X{A:"x';
  expect(showableRejection({ reason: "invalid", message, causes: [] }, other).message).toBe(
    "Invalid value: {…}",
  );
});
