import { expect, test } from "vitest";
import type {
  InventoryEntry,
  ObjectResult,
  Release,
} from "../../../src/model/deployments/release.ts";
import { createReleaseHistory } from "../../../src/model/deployments/release-history.ts";
import type { KubeObject } from "../../../src/model/object.ts";
import {
  finalInventory,
  inventoryWithPlan,
  liveInventory,
} from "../../../src/releases/inventory.ts";
import { finishRelease } from "../../../src/releases/record.ts";
import { text } from "../../support/plan/declare.ts";
import { appliedFrom, liveFrom } from "../../support/plan/live.ts";
import { inventoryFrom, planOf, planText, type Situation } from "../../support/plan/plan-text.ts";
import { release } from "../../support/plan/release-from.ts";

const config = (name: string) =>
  `app/${name}: {apiVersion: v1, kind: ConfigMap, metadata: {name: ${name}}, data: {x: text}}\n`;
const key = (name: string) => `core:ConfigMap::shop/${name}`;
const byKubectl = liveFrom(
  "- {apiVersion: v1, kind: ConfigMap, metadata: {name: legacy, namespace: shop, uid: old, resourceVersion: '3'}}",
);

function entriesOf(situation: Situation): readonly InventoryEntry[] {
  const plan = planOf(situation);
  if (!plan.ok) throw new Error("there is no plan");
  return inventoryWithPlan(situation.inventory ?? [], plan.value);
}

function originsOf(inventory: readonly InventoryEntry[]): string {
  return inventory.map(({ id, origin = "unknown" }) => `${id.name}: ${origin}`).join(", ");
}

const withOrigin = (origin: InventoryEntry["origin"], manifests: string) =>
  inventoryFrom(manifests).map(({ origin: _, ...entry }) => ({ ...entry, origin }));

test("the inventory records before any change which objects are created and which are adopted", () => {
  const declared = config("legacy") + config("new");
  expect(originsOf(entriesOf({ declared, live: byKubectl }))).toBe("legacy: met, new: created");
});

test.each([
  ["created", "created"],
  ["met", "met"],
  ["left", "met"],
  [undefined, "unknown"],
] as const)("a declared object that was %s stays %s", (before, after) => {
  const declared = config("legacy");
  const inventory = withOrigin(before, declared);
  expect(originsOf(entriesOf({ before: declared, declared, inventory }))).toBe(`legacy: ${after}`);
});

test("an object that another tool has recreated under the same name is adopted", () => {
  const declared = config("legacy");
  const inventory = withOrigin("created", declared);
  const found = entriesOf({ declared, live: byKubectl, inventory });
  expect(originsOf(found)).toBe("legacy: met");
});

test("an object that another tool created after planning is adopted, even if the run failed", () => {
  const plan = planOf({ declared: config("new") });
  if (!plan.ok) throw new Error("there is no plan");
  const inventory = inventoryWithPlan([], plan.value);
  const results: ObjectResult[] = [{ key: key("new"), outcome: "failed", detail: "", met: true }];
  expect(originsOf(finalInventory(inventory, plan.value, results))).toBe("new: met");
  const pending: Release = { ...release(1, "pending"), inventory };
  const failed = finishRelease(pending, plan.value, { succeeded: false, results, finishedAt: "" });
  expect(originsOf(failed.inventory)).toBe("new: met");
});

test.each([
  ["created", "created"],
  ["replaced", "created"],
  ["updated", "unknown"],
  ["failed", "unknown"],
] as const)("an old record with an object that was %s: %s", (outcome, origin) => {
  const old: Release = {
    ...release(1, "failed"),
    inventory: withOrigin(undefined, config("legacy")),
    results: [{ key: key("legacy"), outcome, detail: "" }],
  };
  expect(originsOf(liveInventory(createReleaseHistory([old])))).toBe(`legacy: ${origin}`);
});

const before = config("legacy") + config("other");
const stays = (why: string) => `
  keep ConfigMap shop/legacy (met before: ${why})
  notice: ConfigMap shop/legacy isn't declared but stays
`;
const met = "it existed before this deployment";
const unknown = "no release records that this deployment created it";
const left = "it existed before this deployment, and a rollback kept it";

test.each([
  ["a rollback deletes created objects", "created", true, "delete ConfigMap shop/legacy (app)"],
  ["a rollback keeps adopted objects", "met", true, stays(met)],
  ["a rollback keeps objects of unknown origin", undefined, true, stays(unknown)],
  ["a rollback doesn't delete objects that an earlier one has left", "left", true, stays(left)],
  [
    "a deployment deletes what is no longer declared",
    "met",
    false,
    "delete ConfigMap shop/legacy (app)",
  ],
  ["a deployment doesn't delete objects that a rollback has left", "left", false, stays(left)],
] as const)("%s", (_, origin, goesBack, expected) => {
  const inventory = withOrigin(origin, before);
  const plan = planOf({ before, inventory, declared: config("other"), goesBack });
  const [, ...lines] = planText(plan).split("\n");
  expect(lines.join("\n")).toBe(text(expected));
  if (!plan.ok) throw new Error("there is no plan");
  const after = originsOf(finalInventory(inventory, plan.value, []));
  const isLeft = expected.includes("keep");
  expect(after).toBe(
    `legacy: ${isLeft ? "left" : origin}, other: ${origin === "left" ? "met" : (origin ?? "unknown")}`,
  );
});

test("the live object of another tool isn't treated as created by this deployment", () => {
  const live = new Map(
    [...appliedFrom(config("legacy"))].map(([name, object]): [string, KubeObject] => [
      name,
      { ...object, metadata: { ...object.metadata, managedFields: [] } },
    ]),
  );
  const inventory = withOrigin("met", config("legacy"));
  expect(originsOf(entriesOf({ declared: config("legacy"), live, inventory }))).toBe("legacy: met");
});

test.each([
  ["created", 1],
  ["met", 0],
  ["left", 0],
] as const)(
  "for an older kept revision that was %s, a rollback that keeps one revision deletes %s",
  (origin, count) => {
    const kept = (name: string) =>
      `app/${name}: {apiVersion: v1, kind: ConfigMap, metadata: {name: ${name}, annotations: {vs.axis-dev.io/keepOnDelete: cfg}}}\n`;
    const revisions = kept("a") + kept("b");
    const inventory = withOrigin(origin, revisions).map((one) => ({ ...one, keepOnDelete: "cfg" }));
    const users = new Map([["shop", []]]);
    const situation = { before: revisions, declared: kept("b"), inventory, users };
    const plan = planOf({ ...situation, goesBack: true, keepRevisions: 1 });
    expect(plan.ok && plan.value.deletions.length).toBe(count);
  },
);
