import { expect, test } from "vitest";
import { parse } from "yaml";
import { deletePodsCommand, stuckPods } from "../../../../src/model/cluster/stuck-pods.ts";
import type { KubeObject } from "../../../../src/model/object.ts";

const set = (spec = "", kind = "StatefulSet"): KubeObject =>
  parse(
    `{apiVersion: apps/v1, kind: ${kind}, metadata: {name: db, namespace: shop}, spec: {${spec}}}`,
  );

const pod = (number: number, revision: string, ready: boolean, metadata = ""): KubeObject =>
  parse(
    `{apiVersion: v1, kind: Pod, metadata: {name: db-${number}, namespace: shop, labels: {controller-revision-hash: ${revision}}, ${metadata}}, status: {conditions: [{type: Ready, status: "${ready ? "True" : "False"}"}]}}`,
  );

const [up, old, broken] = [pod(0, "a", true), pod(1, "b", false), pod(1, "c", false)];
const earlier = "kubectl delete pod db-1 -n shop, earlier";
const later = "kubectl delete pod db-1 -n shop";

test.each<[string, KubeObject, readonly KubeObject[], string | undefined, string]>([
  ["one of an earlier revision that is not ready", set(), [up, old], "c", earlier],
  ["one of the new revision", set(), [up, broken], "c", later],
  ["one before a new revision is there", set(), [up, broken], undefined, earlier],
  [
    "several, of which the first decides",
    set(),
    [old, pod(0, "c", false)],
    "c",
    "kubectl delete pod db-0 -n shop",
  ],
  [
    "several of an earlier one",
    set(),
    [pod(10, "b", false), pod(2, "b", false)],
    "c",
    "kubectl delete pod db-2 db-10 -n shop, earlier",
  ],
  ["none", set(), [up], "c", "none"],
  ["one that is being deleted", set(), [pod(1, "b", false, "deletionTimestamp: now")], "c", "none"],
  [
    "one below the partition",
    set("updateStrategy: {rollingUpdate: {partition: 2}}"),
    [old],
    "c",
    "none",
  ],
  ["one of those made at once", set("podManagementPolicy: Parallel"), [old], "c", "none"],
  ["one that people replace", set("updateStrategy: {type: OnDelete}"), [old], "c", "none"],
  ["one of another kind", set("", "DaemonSet"), [old], "c", "none"],
])("a StatefulSet waits for %s", (_, object, pods, revision, expected) => {
  const found = stuckPods(object, pods, revision);
  const text = found && `${deletePodsCommand(found)}${found.isOldRevision ? ", earlier" : ""}`;
  expect(text ?? "none").toBe(expected);
});
