import { expect, test } from "vitest";
import {
  explainApiFailure,
  isMissingPermission,
} from "../../../../../../src/model/cluster/api/api-failure.ts";
import { isImmutable } from "../../../../../../src/model/cluster/api/messages/immutable.ts";
import {
  schemaViolationFields,
  unparsableType,
  withoutApplyPrefix,
} from "../../../../../../src/model/cluster/api/messages/invalid-fields.ts";

const rights =
  'User "ci" cannot patch resource "configmaps" in API group "" in the namespace "shop"';
const policy = "ValidatingAdmissionPolicy 'p' with binding 'p' denied request";

test.each([
  [true, "a missing permission", `configmaps "a" is forbidden: ${rights}`],
  [true, "a missing permission to list", `configmaps is forbidden: ${rights}`],
  [
    true,
    "a permission with the reason of another authorizer",
    `${rights}: requires container.admin`,
  ],
  [false, "a webhook that quotes it", `admission webhook "w" denied the request: ${rights}`],
  [false, "a policy with the same message", `configmaps "a" is forbidden: ${policy}: ${rights}`],
  [
    false,
    "PodSecurity",
    'pods "a" is forbidden: violates PodSecurity "restricted:latest": privileged',
  ],
  [false, "a quota", 'pods "a" is forbidden: exceeded quota: q, requested: pods=1'],
  [
    false,
    "a privilege escalation",
    'roles.rbac.authorization.k8s.io "a" is forbidden: user "ci" (groups=["system:authenticated"]) is attempting to grant RBAC permissions not currently held:\n{APIGroups:[""], Resources:["secrets"], Verbs:["get"]}',
  ],
])("it is %s that only a permission is missing: %s", (expected, _, message) => {
  expect(isMissingPermission({ reason: "forbidden", status: 403, message, causes: [] })).toBe(
    expected,
  );
});

test.each([
  ['strict decoding error: unknown field "spec.replica"', ["spec.replica"]],
  ['strict decoding error: unknown field "spec.a", unknown field "b"', ["spec.a", "b"]],
  [
    "failed to create typed patch object (shop/s; /v1, Kind=Secret): .stringdata: field not declared in schema",
    ["stringdata"],
  ],
  [
    "failed to create typed patch object: errors:\n  .Data: field not declared in schema\n  .data.password: expected string, got a map",
    ["Data", "data.password"],
  ],
  ["spec.replicas: Invalid value: -1", []],
])("qvs finds the fields that don't match the schema: %s", (message, fields) => {
  expect(schemaViolationFields({ message })).toEqual(fields);
});

test.each([
  [true, "ConfigMap", "Forbidden: field is immutable when `immutable` is set"],
  [true, "Service", 'Invalid value: ["10.0.0.7"]: may not change once set'],
  [true, "PersistentVolume", "Forbidden: spec.persistentvolumesource is immutable after creation"],
  [true, "StorageClass", "Forbidden: updates to provisioner are forbidden."],
  [true, "a rule's message", 'Invalid value: "string": Value is immutable'],
  [true, "a rule's longer message", 'Invalid value: "b": the fields of a backup are immutable'],
  [true, "a rule without a message", 'Invalid value: "b": failed rule: self == oldSelf'],
  [true, "other words of a rule", 'Invalid value: "b": engine can not be modified'],
  [true, "a policy", `${policy}: the data is immutable`],
  [false, "a policy for a time", `${policy}: it cannot be changed during the freeze`],
  [
    false,
    "a webhook for a time",
    'admission webhook "freeze.example.com" denied the request: must not be modified before Monday',
  ],
  [false, "a part of a rule", 'Invalid value: "b": failed rule: self == oldSelf || self > 3'],
  [false, "the contrary", 'Invalid value: "b": the field is not immutable'],
  [
    false,
    "a field that must become immutable",
    'Invalid value: "b": the ConfigMap must be immutable',
  ],
  [false, "a limit", "Invalid value: 7: must be less than or equal to 5"],
])("it is %s that the field is immutable: %s", (expected, _, message) => {
  expect(isImmutable({ message })).toBe(expected);
});

test("the manifest's author can fix a Secret value that isn't Base64", () => {
  const message =
    'Internal error occurred: failed to decode "v1, Kind=Secret": illegal base64 data at input byte 3';
  const { code, fix } = explainApiFailure({ reason: "other", status: 500, message, causes: [] });
  expect({ code, fix }).toEqual({
    code: "invalid-object",
    fix: "Encode the values of data in Base64, or move them unencoded to stringData",
  });
});

test.each(["etcdserver: request is too large", "Request entity too large: limit is 3145728"])(
  "the manifest's author can split an object that is too large: %s",
  (message) => {
    const { code, fix } = explainApiFailure({ reason: "other", status: 500, message, causes: [] });
    expect({ code, fix }).toEqual({
      code: "invalid-object",
      fix: "Split the object into several objects, or store large values elsewhere",
    });
  },
);

const applying =
  "failed to convert new object (shop/web; apps/v1, Kind=Deployment) to proper version: unable to convert unstructured object to apps/v1, Kind=Deployment: ";
const creating = 'Deployment in version "v1" cannot be handled as a Deployment: ';

test.each([
  [applying, "quantities must match the regular expression '^x$'", { type: "quantity" }],
  [creating, "quantities must match the regular expression '^x$'", { type: "quantity" }],
  [applying, "unable to parse quantity's suffix", { type: "quantity" }],
  [applying, "cannot convert float64 to int32", { type: "whole number" }],
  [
    applying,
    "json: cannot unmarshal number 1.5 into Go value of type int32",
    { type: "whole number" },
  ],
  [
    creating,
    "json: cannot unmarshal number 1.5 into Go struct field DeploymentSpec.spec.replicas of type int32",
    { type: "whole number" },
  ],
  [
    applying,
    'parsing time "yesterday" as "2006-01-02T15:04:05Z07:00": cannot parse "yesterday" as "2006"',
    { type: "time", text: "yesterday" },
  ],
  [
    applying,
    'parsing time "\\"yesterday\\"" as "\\"2006-01-02T15:04:05Z07:00\\"": cannot parse',
    { type: "time", text: "yesterday" },
  ],
  [applying, "illegal base64 data at input byte 3", { type: "Base64" }],
  [applying, "something else", undefined],
  ["", "quantities must match the regular expression '^x$'", undefined],
])("a value that can't be read: %s%s", (attempt, reason, type) => {
  expect(unparsableType({ message: `${attempt}${reason}` })).toEqual(type);
  expect(withoutApplyPrefix({ message: `${attempt}${reason}` })).toBe(reason);
});
