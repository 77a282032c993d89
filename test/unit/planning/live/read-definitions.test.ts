import { expect, test } from "vitest";
import { awaitReady } from "../../../../src/apply/readiness/await-ready.ts";
import { createWatches } from "../../../../src/apply/readiness/watches.ts";
import { createHealthEvaluator } from "../../../../src/health/evaluator.ts";
import type { InventoryEntry } from "../../../../src/model/deployments/release.ts";
import type { KubeObject } from "../../../../src/model/object.ts";
import { readLive } from "../../../../src/planning/live/read-live.ts";
import type { Cluster } from "../../../../src/ports/kubernetes.ts";
import { describeProblem } from "../../../support/describe-problem.ts";
import { fakeCluster, refused } from "../../../support/fake-cluster.ts";
import { declare } from "../../../support/plan/declare.ts";
import { virtualClock } from "../../../support/virtual-clock.ts";

/**
 * Tests that qvs reads only the CustomResourceDefinitions that a plan needs, although a cluster can
 * have hundreds of large ones.
 */

const version = "apiextensions.k8s.io/v1";
const kind = "CustomResourceDefinition";
const name = (plural: string) => `${plural}.acme.example`;
const definition = (plural: string, status: object = {}): KubeObject => ({
  ...{ apiVersion: version, kind, metadata: { name: name(plural), uid: plural } },
  ...{ status: status as KubeObject["metadata"] },
});
const entry = (plural: string, apiVersion = version): InventoryEntry => ({
  id: { group: "apiextensions.k8s.io", kind, namespace: "", name: name(plural) },
  ...{ apiVersion, stage: "appSetup", after: [] },
});

const declared = declare(`
  appSetup/a: {apiVersion: ${version}, kind: ${kind}, metadata: {name: ${name("as")}}}
  app/c: {apiVersion: v1, kind: ConfigMap, metadata: {name: c}}
`);

/** Creates a cluster with many CustomResourceDefinitions, and records its requests. */
function clusterWith(more: Partial<Cluster> = {}) {
  const others = Array.from({ length: 1000 }, (_, index) => definition(`others${index}`));
  const fake = fakeCluster([definition("as"), definition("bs"), ...others]);
  const requests: string[] = [];
  const cluster: Cluster = {
    ...fake,
    list: (...query) => {
      requests.push(`list ${query[1]}`);
      return fake.list(...query);
    },
    read: (address) => {
      requests.push(`get ${address.apiVersion} ${address.name}`);
      return more.read?.(address) ?? fake.read(address);
    },
    preferredKind: more.preferredKind ?? fake.preferredKind,
  };
  return { cluster, requests, fake };
}

test("CustomResourceDefinitions are read by name, each once, and never listed", async () => {
  const { cluster, requests } = clusterWith();
  const live = await readLive(cluster, declared, [entry("as"), entry("bs"), entry("gone")], 4);
  expect(requests.toSorted()).toEqual([
    `get ${version} ${name("as")}`,
    `get ${version} ${name("bs")}`,
    `get ${version} ${name("gone")}`,
    "list ConfigMap",
  ]);
  expect(live.ok && [...live.value.keys()]).toEqual([
    `apiextensions.k8s.io:${kind}::${name("as")}`,
    `apiextensions.k8s.io:${kind}::${name("bs")}`,
  ]);
});

test("a CustomResourceDefinition that was recorded in a removed version is read in the served one", async () => {
  const old = "apiextensions.k8s.io/v1beta1";
  const { cluster, requests, fake } = clusterWith({
    read: async (address) =>
      address.apiVersion === old ? refused("unknown-kind", 404, "gone") : fake.read(address),
    preferredKind: async () => ({
      ok: true,
      value: {
        ...{ group: "apiextensions.k8s.io", version: "v1", kind },
        ...{ plural: "customresourcedefinitions", namespaced: false, listable: true },
      },
    }),
  });
  const live = await readLive(cluster, [], [entry("bs", old)], 4);
  expect(requests).toEqual([`get ${old} ${name("bs")}`, `get ${version} ${name("bs")}`]);
  expect(live.ok && live.value.size).toBe(1);
});

test("a missing permission to read a CustomResourceDefinition is an error with its name", async () => {
  const { cluster } = clusterWith({
    read: async () => refused("forbidden", 403, "may not get customresourcedefinitions"),
  });
  const live = await readLive(cluster, declared, [], 4);
  expect(live.ok ? [] : live.problems.map(describeProblem)).toEqual([
    expect.stringContaining(
      `qvs can't read CustomResourceDefinition ${name("as")}\n  server: https://fake.invalid\n  answer: may not get customresourcedefinitions`,
    ),
  ]);
});

test("an unestablished CustomResourceDefinition is read again, without a watch", async () => {
  const established = { conditions: [{ type: "Established", status: "True" }] };
  const { cluster, fake } = clusterWith();
  const clock = virtualClock();
  const signal = new AbortController().signal;
  const written = definition("as");
  const seen: string[] = [];
  const readiness = awaitReady(written, {
    ...{
      cluster,
      clock,
      watches: createWatches(cluster),
      health: createHealthEvaluator(),
      signal,
      timeoutMs: 60_000,
    },
    affected: true,
    onWaiting: (why) => {
      seen.push(why);
      fake.put(definition("as", established));
    },
  });
  expect((await readiness).state).toBe("ready");
  expect(seen).toHaveLength(1);
  expect(fake.watches).toEqual([]);
});
