import { expect, test } from "vitest";
import { parse } from "yaml";
import { changedImmutableFields } from "../../../../../src/model/cluster/fields/immutable-fields.ts";
import type { KubeObject } from "../../../../../src/model/object.ts";

const refused =
  "Forbidden: updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden";

const live =
  "replicas: 1, serviceName: db, podManagementPolicy: OrderedReady, volumeClaimTemplates: [{metadata: {name: files}, spec: {volumeMode: Filesystem, resources: {requests: {storage: 1Gi}}}}]";

function statefulSet(spec: string): KubeObject {
  return parse(`{apiVersion: apps/v1, kind: StatefulSet, metadata: {name: db}, spec: {${spec}}}`);
}

test.each([
  [
    "a larger claim",
    "serviceName: db, volumeClaimTemplates: [{metadata: {name: files}, spec: {resources: {requests: {storage: 2Gi}}}}]",
    ["spec.volumeClaimTemplates"],
  ],
  ["one claim less", "volumeClaimTemplates: []", ["spec.volumeClaimTemplates"]],
  [
    "several",
    "serviceName: other, podManagementPolicy: Parallel, replicas: 3",
    ["spec.serviceName", "spec.podManagementPolicy"],
  ],
  ["mutable fields", "replicas: 3, template: {a: b}", []],
])("qvs finds the changed immutable fields of a StatefulSet: %s", (_, spec, expected) => {
  expect(changedImmutableFields(refused, statefulSet(spec), statefulSet(live))).toEqual(expected);
});

test.each([
  [
    "a claim",
    "Forbidden: spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims\n@@ -1,6 +1,6 @@\n {",
    "accessModes: [ReadWriteOnce], storageClassName: fast, resources: {requests: {storage: 1Gi}}",
    "accessModes: [ReadWriteMany], storageClassName: slow, resources: {requests: {storage: 2Gi}}",
    ["spec.accessModes", "spec.storageClassName"],
  ],
  [
    "a Pod",
    "Forbidden: pod updates may not change fields other than `spec.containers[*].image`,`spec.tolerations` (only additions to existing tolerations)\n@@",
    "serviceAccountName: a, containers: [{name: web, image: a}]",
    "serviceAccountName: b, containers: [{name: web, image: b}]",
    ["spec.serviceAccountName"],
  ],
])(
  "qvs finds the immutable fields of %s, which the API server doesn't name",
  (_, message, before, after, expected) => {
    expect(changedImmutableFields(message, statefulSet(after), statefulSet(before))).toEqual(
      expected,
    );
  },
);

test("qvs finds no fields if the rejection names one", () => {
  const desired = statefulSet("serviceName: other");
  expect(changedImmutableFields("field is immutable", desired, statefulSet(live))).toEqual([]);
});
