import { expect, test } from "vitest";
import { parse } from "yaml";
import type { JsonObject } from "../../../../src/model/json.ts";
import type { KubeObject } from "../../../../src/model/object.ts";
import { unbindableClaims } from "../../../../src/preflight/rules/unbindable-claims.ts";
import { around, changeOf, known } from "../rollout-plan.ts";

const claim = (spec: string, name = "data") =>
  changeOf(
    parse(
      `{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: ${name}}, spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 2Gi}}, ${spec}}}`,
    ) as JsonObject,
  );
const volume = (spec: string, status = "") =>
  parse(
    `{apiVersion: v1, kind: PersistentVolume, metadata: {name: disk}, spec: {accessModes: [ReadWriteOnce], capacity: {storage: 2Gi}, ${spec}}, status: {${status}}}`,
  ) as KubeObject;
const storageClass = (name: string, rest: string) =>
  parse(
    `{apiVersion: storage.k8s.io/v1, kind: StorageClass, metadata: {name: ${name}}, ${rest}}`,
  ) as KubeObject;
const none = "provisioner: kubernetes.io/no-provisioner";
const makes = "provisioner: example.org/disks";
const byDefault = parse(
  `{apiVersion: storage.k8s.io/v1, kind: StorageClass, metadata: {name: usual, annotations: {storageclass.kubernetes.io/is-default-class: "true"}}, ${makes}}`,
) as KubeObject;

function findings(
  changes: ReturnType<typeof claim>[],
  volumes: readonly KubeObject[],
  classes: readonly KubeObject[],
): string {
  const plan = { deployment: "shop", namespace: "shop", changes, deletions: [], kept: [] };
  const found = unbindableClaims({
    plan: { ...plan, notices: [], digest: "" },
    facts: { ...around(), volumes: known(volumes), storageClasses: known(classes) },
    releases: { declared: new Set() },
    placeOf: () => undefined,
  });
  return found.map(({ code, what, why }) => `${code}: ${what}: ${why}`).join("\n");
}

const waits = "no-volume: PersistentVolumeClaim shop/data can't be bound to a volume: ";
const free = ". No matching PersistentVolume of 2Gi or more is free";
const noClass = `Its storageClassName is empty, so no volume is created for it${free}`;

test.each<[string, string, KubeObject[], KubeObject[], string]>([
  [
    "no class, no default, no volume",
    "",
    [],
    [],
    `It names no StorageClass, and the cluster has no default StorageClass${free}`,
  ],
  ["a default class that provisions volumes", "", [], [byDefault], ""],
  ["explicitly none, whatever the default is", 'storageClassName: ""', [], [byDefault], noClass],
  ["a volume without a class", 'storageClassName: ""', [volume("")], [], ""],
  [
    "a bound volume",
    'storageClassName: ""',
    [volume("claimRef: {namespace: shop, name: other}", "phase: Bound")],
    [],
    noClass,
  ],
  [
    "a reserved volume",
    'storageClassName: ""',
    [volume("claimRef: {namespace: shop, name: data}")],
    [],
    "",
  ],
  [
    "a volume of another class",
    'storageClassName: ""',
    [volume("storageClassName: fast")],
    [],
    noClass,
  ],
  [
    "a class that provisions none",
    "storageClassName: local",
    [],
    [storageClass("local", none)],
    `StorageClass local creates no volumes${free}`,
  ],
  [
    "a class that provisions none, and a volume",
    "storageClassName: local",
    [volume("storageClassName: local")],
    [storageClass("local", none)],
    "",
  ],
  [
    "a class that waits for the first Pod",
    "storageClassName: local",
    [],
    [storageClass("local", `${none}, volumeBindingMode: WaitForFirstConsumer`)],
    "",
  ],
  [
    "a class that provisions volumes",
    "storageClassName: fast",
    [],
    [storageClass("fast", makes)],
    "",
  ],
  ["another rule reports a missing class", "storageClassName: gone", [], [], ""],
  [
    "a class that is only a name",
    "storageClassName: hand",
    [volume("storageClassName: hand")],
    [],
    "",
  ],
  [
    "the named volume",
    "storageClassName: local, volumeName: disk",
    [],
    [storageClass("local", none)],
    "",
  ],
])("%s", (_, spec, volumes, classes, expected) => {
  expect(findings([claim(spec)], volumes, classes)).toBe(
    expected === "" ? "" : `${waits}${expected}`,
  );
});

test("two PersistentVolumeClaims can't share a volume", () => {
  const both = [claim('storageClassName: ""'), claim('storageClassName: ""', "more")];
  expect(findings(both, [volume("")], [])).toBe(
    `no-volume: PersistentVolumeClaim shop/more can't be bound to a volume: ${noClass}`,
  );
});
