import { expect, test } from "vitest";
import { parse } from "yaml";
import {
  deletePodsCommand,
  deletionBlockReason,
  stuckPods,
} from "../../../../src/model/cluster/pending-deletion.ts";
import type { KubeObject } from "../../../../src/model/object.ts";

const namespace = (...conditions: readonly { readonly [field: string]: string }[]) => ({
  apiVersion: "v1",
  kind: "Namespace",
  metadata: { name: "shop" },
  status: { phase: "Terminating", conditions },
});

test("the controller's conditions explain the pending deletion of a Namespace", () => {
  const live = namespace(
    { type: "NamespaceDeletionDiscoveryFailure", status: "True", message: "a.example/v1 is down" },
    { type: "NamespaceDeletionContentFailure", status: "False", message: "All content deleted" },
    {
      type: "NamespaceContentRemaining",
      status: "True",
      message: "pods. has 1 resource instances",
    },
  );
  expect(deletionBlockReason(live)).toBe("a.example/v1 is down; pods. has 1 resource instances");
});

test("a Namespace without these conditions has no explanation", () => {
  expect(deletionBlockReason(namespace())).toBeUndefined();
  const ready = namespace({ type: "Ready", status: "True", message: "all is well" });
  expect(deletionBlockReason(ready)).toBeUndefined();
});

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
  ["an unready Pod of an earlier revision", set(), [up, old], "c", earlier],
  ["a Pod of the new revision", set(), [up, broken], "c", later],
  ["a Pod before the new revision exists", set(), [up, broken], undefined, earlier],
  [
    "several Pods, of which the first one decides",
    set(),
    [old, pod(0, "c", false)],
    "c",
    "kubectl delete pod db-0 -n shop",
  ],
  [
    "several Pods of an earlier revision",
    set(),
    [pod(10, "b", false), pod(2, "b", false)],
    "c",
    "kubectl delete pod db-2 db-10 -n shop, earlier",
  ],
  ["none", set(), [up], "c", "none"],
  [
    "a Pod that is being deleted",
    set(),
    [pod(1, "b", false, "deletionTimestamp: now")],
    "c",
    "none",
  ],
  [
    "a Pod below the partition",
    set("updateStrategy: {rollingUpdate: {partition: 2}}"),
    [old],
    "c",
    "none",
  ],
  [
    "a Pod of a set that creates them in parallel",
    set("podManagementPolicy: Parallel"),
    [old],
    "c",
    "none",
  ],
  ["a Pod that users replace", set("updateStrategy: {type: OnDelete}"), [old], "c", "none"],
  ["a Pod of another kind", set("", "DaemonSet"), [old], "c", "none"],
])("a StatefulSet waits for %s", (_, object, pods, revision, expected) => {
  const found = stuckPods(object, pods, revision);
  const text = found && `${deletePodsCommand(found)}${found.isOldRevision ? ", earlier" : ""}`;
  expect(text ?? "none").toBe(expected);
});
