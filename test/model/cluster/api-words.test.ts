import { expect, test } from "vitest";
import { isMissingRight } from "../../../src/model/cluster/api-failure.ts";
import { misfitFields } from "../../../src/model/cluster/api-words.ts";

const rights =
  'User "ci" cannot patch resource "configmaps" in API group "" in the namespace "shop"';
const policy = "ValidatingAdmissionPolicy 'p' with binding 'p' denied request";

test.each([
  [true, "a missing right", `configmaps "a" is forbidden: ${rights}`],
  [true, "a missing right to list", `configmaps is forbidden: ${rights}`],
  [true, "a right with the reason of another authorizer", `${rights}: requires container.admin`],
  [false, "a webhook that quotes it", `admission webhook "w" denied the request: ${rights}`],
  [false, "a policy that says it", `configmaps "a" is forbidden: ${policy}: ${rights}`],
  [
    false,
    "PodSecurity",
    'pods "a" is forbidden: violates PodSecurity "restricted:latest": privileged',
  ],
  [false, "a quota", 'pods "a" is forbidden: exceeded quota: q, requested: pods=1'],
  [
    false,
    "an escalation of rights",
    'roles.rbac.authorization.k8s.io "a" is forbidden: user "ci" (groups=["system:authenticated"]) is attempting to grant RBAC permissions not currently held:\n{APIGroups:[""], Resources:["secrets"], Verbs:["get"]}',
  ],
])("it is %s that this is about rights alone: %s", (expected, _, message) => {
  expect(isMissingRight({ reason: "forbidden", status: 403, message, causes: [] })).toBe(expected);
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
])("fields that do not fit: %s", (message, fields) => {
  expect(misfitFields({ message })).toEqual(fields);
});
