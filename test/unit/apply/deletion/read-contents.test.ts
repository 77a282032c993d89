import { expect, test } from "vitest";
import { applyPlan } from "../../../../src/apply/apply-plan.ts";
import { readContents } from "../../../../src/apply/deletion/read-dependents.ts";
import { releaseNamespaceLabel } from "../../../../src/model/annotations.ts";
import type { DeletedContents } from "../../../../src/model/cluster/namespaces-and-crds.ts";
import type { KubeObject } from "../../../../src/model/object.ts";
import type { Cluster, KindInfo } from "../../../../src/ports/kubernetes.ts";
import { checkPorts } from "../../../support/check-ports.ts";
import { fakeCluster, refused } from "../../../support/fake-cluster.ts";
import { marksOf, planFrom } from "../../../support/plan/plan-from-text.ts";
import { virtualClock } from "../../../support/virtual-clock.ts";

const never = new AbortController().signal;
const info = (kind: string, more: Partial<KindInfo> = {}): KindInfo => ({
  ...{ group: "", version: "v1", kind, plural: `${kind.toLowerCase()}s` },
  ...{ namespaced: true, listable: true, ...more },
});
const kinds = [
  info("ConfigMap"),
  info("Secret"),
  info("Node", { namespaced: false }),
  info("Binding", { listable: false }),
  info("Event"),
  info("Scale", { group: "apps", version: "v1" }),
  info("Scale", { group: "apps", version: "v1beta1" }),
];

const config = (name: string): KubeObject => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name, namespace: "tools" },
});

/**
 * Creates a cluster with a Namespace `tools` that contains objects of other tools. With `closed`,
 * qvs isn't allowed to list Secrets.
 */
function clusterWith(names: readonly string[], { closed = false } = {}) {
  const { labels, managedFields } = marksOf("app");
  const marks = { ...(labels as object), [releaseNamespaceLabel]: "shop" };
  const namespace = { name: "tools", labels: marks, managedFields };
  const fake = fakeCluster([
    { apiVersion: "v1", kind: "Namespace", metadata: namespace as KubeObject["metadata"] },
    ...names.map(config),
  ]);
  const requests: string[] = [];
  const cluster: typeof fake = {
    ...fake,
    kinds: async () => ({ ok: true, value: kinds }),
    listMetadata: async (apiVersion, kind, ...more) => {
      requests.push(`${apiVersion} ${kind}`);
      if (closed && kind === "Secret") return refused("forbidden", 403, "secrets is forbidden");
      return fake.listMetadata(apiVersion, kind, ...more);
    },
  };
  return { cluster, requests };
}

const none = { keys: new Set<string>(), uids: new Set<string>() };
const limit = ((work: () => unknown) => work()) as Parameters<typeof readContents>[1];

function read(cluster: Cluster, fake = fakeCluster()) {
  const [deletion] = planFrom(fake, "app delete Namespace tools").deletions;
  if (deletion === undefined) throw new Error("nothing is deleted");
  return readContents(cluster, limit, deletion, none);
}

test("each namespaced kind is listed once, by its metadata", async () => {
  const { cluster, requests } = clusterWith(["notes"]);
  const { objects, unread } = await read(cluster);
  expect(requests).toEqual(["v1 ConfigMap", "v1 Secret", "apps/v1 Scale"]);
  expect(objects.map(({ key }) => key)).toEqual(["core:ConfigMap::tools/notes"]);
  expect(unread).toEqual([]);
});

test("kinds that can't be listed are reported and don't hide the rest", async () => {
  const { cluster } = clusterWith(["notes"], { closed: true });
  const { objects, unread } = await read(cluster);
  expect(objects).toHaveLength(1);
  expect(unread).toEqual([{ kind: "Secret", why: "secrets is forbidden" }]);
});

test("without discovery, the contents of all namespaces are unknown", async () => {
  const { unread } = await read(fakeCluster());
  expect(unread).toEqual([{ kind: "all kinds", why: "the fake lists no kinds" }]);
});

const contents = (...names: readonly string[]): DeletedContents => ({
  objects: names.map((name) => ({
    ...{ key: `core:ConfigMap::tools/${name}`, manager: "" },
    id: { group: "", kind: "ConfigMap", namespace: "tools", name },
  })),
  unread: [],
});
const blind: DeletedContents = { objects: [], unread: [{ kind: "Secret", why: "no" }] };

test.each<[string, readonly string[], boolean, DeletedContents, string]>([
  ["the reported content", ["a"], false, contents("a"), "deleted"],
  ["less than the reported content", [], false, contents("a"), "deleted"],
  [
    "more than the reported content",
    ["a", "b"],
    false,
    contents("a"),
    "kept: it contains objects that were created after the plan was made and would be deleted too: ConfigMap tools/b",
  ],
  ["content that could never be read", [], true, blind, "deleted"],
  [
    "content that can't be read any more",
    ["a"],
    true,
    contents("a"),
    "kept: qvs can't list objects that were created after the plan was made and would be deleted too: secrets is forbidden",
  ],
])("a Namespace with %s", async (_, names, closed, holds, expected) => {
  const { cluster } = clusterWith(names, { closed });
  const planned = planFrom(cluster, "app delete Namespace tools");
  const plan = {
    ...planned,
    deletions: planned.deletions.map((one) => ({ ...one, contents: holds })),
  };
  const world = {
    ...{ cluster, ...checkPorts, clock: virtualClock(), progress: { report: () => {} } },
    ...{ signal: never, lost: never },
  };
  const { results } = await applyPlan(plan, world, { concurrency: 4, timeoutMs: 60_000 });
  const [{ outcome, detail } = { outcome: "", detail: "" }] = results;
  expect(detail === "" ? outcome : `${outcome}: ${detail}`).toBe(expected);
});
