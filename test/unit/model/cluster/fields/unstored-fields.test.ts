import { expect, test } from "vitest";
import { parse } from "yaml";
import {
  type GatedField,
  gatedFieldsByKind,
  gatedPodFields,
} from "../../../../../src/model/cluster/fields/gated-fields.ts";
import {
  withoutUnstoredFields,
  withoutUnstoredPodFields,
} from "../../../../../src/model/cluster/fields/unstored-fields.ts";
import type { KubeObject } from "../../../../../src/model/object.ts";
import { findField } from "../../../../../src/validation/kind-types.ts";
import { knownVersions } from "../../../../support/known-versions.ts";

const versions = new Map([
  ["apps/StatefulSet", "apps/v1/StatefulSet"],
  ["autoscaling/HorizontalPodAutoscaler", "autoscaling/v2/HorizontalPodAutoscaler"],
  ["/PersistentVolumeClaim", "v1/PersistentVolumeClaim"],
  ["/PersistentVolume", "v1/PersistentVolume"],
  ["storage.k8s.io/CSIDriver", "storage.k8s.io/v1/CSIDriver"],
  ...["DeviceClass", "ResourceClaim", "ResourceClaimTemplate", "ResourceSlice"].map(
    (kind) => [`resource.k8s.io/${kind}`, `resource.k8s.io/v1/${kind}`] as const,
  ),
]);
const fields: readonly (readonly [kind: string, field: GatedField])[] = [
  ...gatedPodFields.map((field) => ["v1/Pod", field] as const),
  ...[...gatedFieldsByKind].flatMap(([kind, own]) =>
    own.map((field) => [versions.get(kind) ?? kind, field] as const),
  ),
];

test.each(fields.map(([kind, field]) => [kind, field.path.join("."), field] as const))(
  "the schema of %s has %s since the version in the table",
  (kind, _, { path, since = 37, added = 32 }) => {
    const steps = ["spec", ...path.map((step) => (step === "*" ? "0" : step))];
    const [, first] = /Kubernetes 1\.(\d+)/.exec(findField(kind, steps, knownVersions) ?? "") ?? [];
    expect(Number(first)).toBe(added);
    expect(added).toBeLessThanOrEqual(since);
    expect(since).toBeGreaterThan(32);
    expect(since).toBeLessThanOrEqual(37);
  },
);

const stored = (minor: number, spec: string) =>
  withoutUnstoredPodFields(parse(spec), { major: 1, minor });

test.each([
  [32, "{hostUsers: false}", "{}"],
  [33, "{hostUsers: false}", "{hostUsers: false}"],
  [
    32,
    "{containers: [{name: a, resizePolicy: [{}]}, {name: b}]}",
    "{containers: [{name: a}, {name: b}]}",
  ],
  [
    32,
    "{containers: [{securityContext: {procMount: Unmasked}}]}",
    "{containers: [{securityContext: {procMount: Default}}]}",
  ],
  [
    33,
    "{containers: [{securityContext: {procMount: Unmasked}}]}",
    "{containers: [{securityContext: {procMount: Unmasked}}]}",
  ],
  [
    34,
    "{initContainers: [{restartPolicy: Always}, {restartPolicy: Never}]}",
    "{initContainers: [{restartPolicy: Always}, {}]}",
  ],
  [35, "{initContainers: [{restartPolicy: Never}]}", "{initContainers: [{restartPolicy: Never}]}"],
  [
    34,
    "{volumes: [{name: i, image: {reference: a}}, {name: e, emptyDir: {}}], containers: [{volumeMounts: [{name: e}, {name: i}]}]}",
    "{volumes: [{name: e, emptyDir: {}}], containers: [{volumeMounts: [{name: e}]}]}",
  ],
  [37, "{containers: [{lifecycle: {stopSignal: SIGUSR1}}]}", "{containers: [{lifecycle: {}}]}"],
])("Kubernetes 1.%s stores the Pod spec %s as %s", (minor, given, expected) => {
  expect(stored(minor, given)).toEqual(parse(expected));
});

test("an object whose fields are all stored stays the same", () => {
  const claim = parse(
    "{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: a}, spec: {volumeAttributesClassName: fast}}",
  ) as KubeObject;
  expect(withoutUnstoredFields(claim, { major: 1, minor: 34 })).toBe(claim);
  expect(withoutUnstoredFields(claim, { major: 1, minor: 33 }).spec).toEqual({});
});

const claimOf = (request: string) =>
  `{kind: ResourceClaim, spec: {devices: {requests: [{name: a, exactly: ${request}}]}}}`;
const templateOf = (request: string) =>
  `{kind: ResourceClaimTemplate, spec: {spec: {devices: {requests: [{name: a, firstAvailable: [${request}]}]}}}}`;

test.each([
  [35, "{kind: DeviceClass, spec: {extendedResourceName: a/gpu}}", "{kind: DeviceClass, spec: {}}"],
  [
    36,
    "{kind: DeviceClass, spec: {extendedResourceName: a/gpu}}",
    "{kind: DeviceClass, spec: {extendedResourceName: a/gpu}}",
  ],
  [34, claimOf("{tolerations: [{}], capacity: {}}"), claimOf("{tolerations: [{}]}")],
  [35, claimOf("{tolerations: [{}]}"), claimOf("{}")],
  [36, claimOf("{tolerations: [{}]}"), claimOf("{tolerations: [{}]}")],
  [35, templateOf("{capacity: {}}"), templateOf("{}")],
  [
    35,
    "{kind: ResourceSlice, spec: {devices: [{name: a, capacity: {mem: {value: 1, requestPolicy: {}}}}]}}",
    "{kind: ResourceSlice, spec: {devices: [{name: a, capacity: {mem: {value: 1}}}]}}",
  ],
])("Kubernetes 1.%s stores %s as %s", (minor, given, expected) => {
  const objectOf = (text: string) =>
    ({ apiVersion: "resource.k8s.io/v1", metadata: { name: "a" }, ...parse(text) }) as KubeObject;
  const server = { major: 1, minor };
  expect(withoutUnstoredFields(objectOf(given), server)).toEqual(objectOf(expected));
});
