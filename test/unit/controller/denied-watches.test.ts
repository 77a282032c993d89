import { expect, test } from "vitest";
import { createReleasesIndex, releaseQuery } from "../../../src/controller/releases-index.ts";
import {
  createInventoryWatch,
  type InventoryWatch,
} from "../../../src/controller/watch-inventory.ts";
import { createWatchSet, type WatchSet } from "../../../src/controller/watch-set.ts";
import { deploymentLabel } from "../../../src/model/annotations.ts";
import type { InventoryEntry } from "../../../src/model/deployments/release.ts";
import type { KubeObject } from "../../../src/model/object.ts";
import type { Clock } from "../../../src/ports/clock.ts";
import type { MetadataQuery } from "../../../src/ports/kubernetes.ts";
import { type FakeCluster, fakeCluster, refused } from "../../support/fake-cluster.ts";
import { virtualClock } from "../../support/virtual-clock.ts";

/** The answer to a watch that isn't allowed. */

const forbidden = refused(
  "forbidden",
  403,
  'configmaps is forbidden: User "qvs" cannot watch resource "configmaps" in API group "" at the cluster scope',
);

function configMap(namespace: string, value = ""): KubeObject {
  const metadata = { name: "a", namespace, labels: { [deploymentLabel]: "web" } };
  return { apiVersion: "v1", kind: "ConfigMap", metadata, data: { value } };
}

function release(name: string, namespace = "shop"): KubeObject {
  const labels = {
    [deploymentLabel]: name,
    "vs.axis-dev.io/revision": "1",
    "vs.axis-dev.io/status": "succeeded",
  };
  const metadata = { name: `qvs.${name}.v1`, namespace, labels };
  return { apiVersion: "v1", kind: "Secret", metadata };
}

function entry(namespace: string): InventoryEntry {
  const id = { group: "", kind: "ConfigMap", namespace, name: "a" };
  return { id, apiVersion: "v1", stage: "app", after: [] };
}

type Watch = FakeCluster["watchMetadata"];

/** Returns the cluster with other answers to some of its watches. */
function watching(
  cluster: FakeCluster,
  otherwise: (query: MetadataQuery) => ReturnType<Watch> | undefined,
) {
  const asked: string[] = [];
  const watchMetadata: Watch = (query, signal) => {
    asked.push(`${query.kind} in ${query.namespace ?? "all"}`);
    return otherwise(query) ?? cluster.watchMetadata(query, signal);
  };
  return { asked, cluster: { watchMetadata, forgetKinds: () => {} } };
}

async function* denial() {
  yield forbidden;
}

/** Returns a watch that ends after a while, like each real one. */
async function* endingWatch(clock: Clock, milliseconds: number) {
  yield { ok: true as const, value: { type: "SYNCED" as const } };
  await clock.sleep(milliseconds);
}

/** Answers the watch of an identity that can list but not watch. */
async function* listOnly() {
  yield { ok: true as const, value: { type: "SYNCED" as const } };
  yield forbidden;
}

test("the controller watches a kind per namespace if it isn't allowed to watch all namespaces", async () => {
  const clock = virtualClock();
  const real = fakeCluster([configMap("shop"), configMap("bank"), configMap("other")]);
  const { asked, cluster } = watching(real, ({ namespace }) =>
    namespace === undefined ? denial() : undefined,
  );
  const changed: string[] = [];
  const troubles: string[] = [];
  const stop = new AbortController();
  let inventory: InventoryWatch | undefined;
  const watches: WatchSet = createWatchSet({
    ...{ cluster, clock, random: () => 0.5, signal: stop.signal },
    onEvent: (query, event) => inventory?.handle(query, event),
    onReopened: (query) => inventory?.recheck(query),
    onDenied: (query) => inventory?.narrow(query),
    onTrouble: (query) => troubles.push(`${query.kind} in ${query.namespace ?? "all"}`),
  });
  const onChanged = (deployment: string) => changed.push(deployment);
  inventory = createInventoryWatch({ watches, everywhere: true, onChanged });
  await inventory.set("shop/web", [entry("shop"), entry("bank")]);
  await clock.sleep(10_000);
  // The check didn't wait for the watches, which opened later, so there is another check.
  expect(changed.splice(0)).toEqual(["shop/web", "shop/web"]);
  real.put(configMap("bank", "changed"));
  real.put(configMap("other", "changed"));
  await clock.sleep(10_000);
  expect(changed).toEqual(["shop/web"]);
  await clock.sleep(1_000_000);
  stop.abort();
  expect(asked).toEqual(["ConfigMap in all", "ConfigMap in shop", "ConfigMap in bank"]);
  expect([troubles, watches.count()]).toEqual([["ConfigMap in all"], 2]);
});

test("without permission to watch, the controller lists rarely and isn't ready before the first list", async () => {
  const clock = virtualClock();
  const { asked, cluster } = watching(fakeCluster(), ({ namespace }) =>
    namespace === "none" ? denial() : listOnly(),
  );
  const stop = new AbortController();
  const nothing = () => {};
  const callbacks = {
    onEvent: nothing,
    onReopened: nothing,
    onDenied: nothing,
    onTrouble: nothing,
  };
  const options = { cluster, clock, random: () => 0.5, signal: stop.signal, ...callbacks };
  const [some, none] = [createWatchSet(options), createWatchSet(options)];
  some.keep([releaseQuery("shop"), releaseQuery("none")]);
  none.keep([releaseQuery("none")]);
  expect(some.isSynced()).toBe(false);
  await clock.sleep(3_600_000);
  stop.abort();
  expect([some.isSynced(), none.isSynced()]).toEqual([true, false]);
  // After 5, 10, 20 … 320 s, then every 5 minutes.
  expect(asked.filter((text) => text.endsWith("shop")).length).toBeLessThan(20);
});

test("one denial by a starting API server changes no watch, and two in a row do", async () => {
  const clock = virtualClock();
  let opened = 0;
  const { cluster } = watching(fakeCluster(), () => {
    opened += 1;
    return opened === 1 || opened === 3 ? endingWatch(clock, 120_000) : denial();
  });
  const stop = new AbortController();
  const denied: number[] = [];
  const nothing = () => {};
  const watches = createWatchSet({
    ...{ cluster, clock, random: () => 0.5, signal: stop.signal },
    ...{ onEvent: nothing, onReopened: nothing, onTrouble: nothing },
    onDenied: () => denied.push(opened),
  });
  watches.keep([releaseQuery(undefined)]);
  await clock.sleep(600_000);
  stop.abort();
  expect(denied[0]).toBe(5);
});

test("releases that were deleted while their watch was closed are forgotten, except in other namespaces", () => {
  const index = createReleasesIndex(() => true);
  for (const object of [release("web"), release("api"), release("web", "bank")]) {
    index.handle({ type: "ADDED", object });
  }
  expect(index.keep("shop", new Set(["core:Secret::shop/qvs.api.v1"]))).toEqual(["shop/web"]);
  expect(index.deployments()).toEqual(["bank/web", "shop/api"]);
  expect(index.keep(undefined, new Set())).toEqual(["shop/api", "bank/web"]);
});

test("a reopened watch reports the existing objects", async () => {
  const clock = virtualClock();
  const real = fakeCluster([release("web"), release("api")]);
  let opened = 0;
  const { cluster } = watching(real, () => {
    opened += 1;
    return opened === 1 ? listOnly() : undefined;
  });
  const stop = new AbortController();
  const present: (readonly string[])[] = [];
  const nothing = () => {};
  const watches = createWatchSet({
    ...{ cluster, clock, random: () => 0.5, signal: stop.signal },
    ...{ onEvent: nothing, onDenied: nothing, onTrouble: nothing },
    onReopened: (_, keys) => present.push([...keys]),
  });
  watches.keep([releaseQuery("shop")]);
  await clock.sleep(20_000);
  stop.abort();
  expect(present).toEqual([["core:Secret::shop/qvs.web.v1", "core:Secret::shop/qvs.api.v1"]]);
});
