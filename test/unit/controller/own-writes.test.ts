import { expect, test } from "vitest";
import type { CheckOutcome } from "../../../src/controller/events.ts";
import { at } from "../../../src/model/json.ts";
import { fakeCluster } from "../../support/fake-cluster.ts";
import { configMap, release, run } from "./run-controller.ts";

/**
 * Each state of an object that a watch reports causes at most one check, also one that a correction
 * wrote (docs/reference/reconcile.md#schedule).
 */

const names = ["a", "b", "c"];

/** Runs a controller that corrects each wrong object in `writeMs`. */
function corrected(writeMs: number) {
  const cluster = fakeCluster([release("web", 1), ...names.map((name) => configMap(name, "web"))]);
  const isWrong = (name: string) =>
    at(cluster.get(`core:ConfigMap::shop/${name}`), "data", "value") !== "right";
  const running = run({
    cluster,
    inventories: { web: names },
    look: async (): Promise<CheckOutcome> => {
      const wrong = names.filter(isWrong);
      for (const name of wrong) {
        await running.clock.sleep(writeMs);
        cluster.put(configMap(name, "web"));
      }
      return wrong.length === 0 ? { type: "unchanged" } : { type: "corrected", objects: wrong };
    },
  });
  return { cluster, running };
}

test("the writes of a correction cause one more check and no further ones", async () => {
  const { cluster, running } = corrected(0);
  await running.clock.sleep(10_000);
  for (const name of names) cluster.put(configMap(name, "web", "wrong"));
  await running.clock.sleep(3_000_000);
  await running.stop();
  expect(running.looks).toEqual([
    "0 s: shop/web unchanged",
    "11 s: shop/web corrected",
    "12 s: shop/web unchanged",
  ]);
});

test("changes during a long correction are checked immediately, and again a second after the last one", async () => {
  const { cluster, running } = corrected(20_000);
  await running.clock.sleep(10_000);
  for (const name of names) cluster.put(configMap(name, "web", "wrong"));
  await running.clock.sleep(3_000_000);
  await running.stop();
  expect(running.looks).toEqual([
    "0 s: shop/web unchanged",
    "71 s: shop/web corrected",
    "71 s: shop/web unchanged",
    "72 s: shop/web unchanged",
  ]);
});

test("changes that a slow server reports one by one cause one check each", async () => {
  const { cluster, running } = corrected(0);
  await running.clock.sleep(10_000);
  for (const name of names) {
    cluster.put(configMap(name, "web", "right"));
    await running.clock.sleep(5_000);
  }
  await running.clock.sleep(3_000_000);
  await running.stop();
  expect(running.looks).toEqual([0, 11, 16, 21].map((s) => `${s} s: shop/web unchanged`));
});
