import pLimit from "p-limit";
import { expect, test } from "vitest";
import {
  describeRemaining,
  explainDeletionTimeout,
} from "../../../../src/apply/deletion/read-remaining.ts";
import { isHeldByFinalizer } from "../../../../src/model/cluster/pending-deletion.ts";
import type { KubeObject } from "../../../../src/model/object.ts";
import type { Cluster } from "../../../../src/ports/kubernetes.ts";
import { fakeCluster, refused } from "../../../support/fake-cluster.ts";

const since = "2026-11-19T09:30:00Z";
const versions: Readonly<Record<string, string>> = {
  Deployment: "apps/v1",
  ReplicaSet: "apps/v1",
  Broker: "made.example/v1",
};

interface More {
  readonly by?: string;
  readonly finalizers?: readonly string[];
  readonly blocks?: boolean;
}

/** Creates an object that is being deleted; `by` is the name of its owner. */
function leaving(kind: string, name: string, { by, finalizers = [], blocks = true }: More = {}) {
  const owner = { apiVersion: "v1", kind: "Any", name: by, uid: by, blockOwnerDeletion: blocks };
  return {
    apiVersion: versions[kind] ?? "v1",
    kind,
    metadata: {
      ...{ name, namespace: "shop", uid: name, deletionTimestamp: since, finalizers },
      ...(by === undefined ? {} : { ownerReferences: [owner] }),
    },
  } as unknown as KubeObject;
}

const foreground = { finalizers: ["foregroundDeletion"] };
const web = leaving("Deployment", "web", foreground);
const set = leaving("ReplicaSet", "web-1", { by: "web", ...foreground });
const drained = { by: "web-1", finalizers: ["example.com/drain"] };
const byControllers =
  "Check that the controller of each finalizer is running and can do its work. If it no longer exists, remove its finalizer, then run again";

const blind: Cluster = {
  ...fakeCluster([]),
  listMetadata: async () => refused("forbidden", 403, "no Pods for you"),
};

test.each<[string, KubeObject, Cluster | readonly KubeObject[], string, string]>([
  [
    "its own finalizer",
    leaving("ConfigMap", "a", { finalizers: ["example.com/x"] }),
    [],
    "it waits for the finalizers example.com/x",
    byControllers,
  ],
  [
    "a Pod of its ReplicaSet",
    web,
    [set, leaving("Pod", "web-1-a", drained)],
    `its dependent objects are still being deleted: Pod shop/web-1-a of ReplicaSet shop/web-1 (terminating since ${since}, finalizers example.com/drain)`,
    byControllers,
  ],
  [
    "more Pods than the report names",
    web,
    [set, ...["a", "b", "c", "d"].map((name) => leaving("Pod", name, { by: "web-1" }))],
    `its dependent objects are still being deleted: ${["a", "b", "c"].map((name) => `Pod shop/${name} of ReplicaSet shop/web-1 (terminating since ${since})`).join(", ")} and 1 more`,
    "Find the objects that name it in metadata.ownerReferences, and the cause that blocks their deletion, then run again",
  ],
  [
    "a ReplicaSet without remaining Pods",
    web,
    [set],
    `its dependent objects are still being deleted: ReplicaSet shop/web-1 (terminating since ${since})`,
    "Find the objects that name it in metadata.ownerReferences, and the cause that blocks their deletion, then run again",
  ],
  [
    "a Pod that doesn't block its owner",
    leaving("ReplicaSet", "web-1", foreground),
    [leaving("Pod", "a", { ...drained, blocks: false })],
    "its dependent objects are still being deleted",
    "Find the objects that name it in metadata.ownerReferences, and the cause that blocks their deletion, then run again",
  ],
  [
    "both",
    leaving("Broker", "main", { finalizers: ["made.example/clean", "foregroundDeletion"] }),
    [leaving("Secret", "made", { by: "main" })],
    `it waits for the finalizers made.example/clean; its dependent objects are still being deleted: Secret shop/made (terminating since ${since})`,
    byControllers,
  ],
  [
    "objects that can't be listed",
    web,
    blind,
    "its dependent objects are still being deleted",
    "Find the objects that name it in metadata.ownerReferences, and the cause that blocks their deletion, then run again",
  ],
])("a deletion waits for %s", async (_name, live, there, expected, fix) => {
  const cluster = "list" in there ? there : fakeCluster([live, ...there]);
  const remaining = await describeRemaining(live, { cluster, limit: pLimit(4) });
  const explanation = explainDeletionTimeout(remaining, 5_000);
  expect(explanation.what).toBe("not deleted after 5 s");
  expect(explanation.facts).toEqual([{ label: "status", value: expected }]);
  expect(explanation.fix).toBe(fix);
  expect(isHeldByFinalizer(remaining)).toBe(fix === byControllers);
});
