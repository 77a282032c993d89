import { expect, test } from "vitest";
import { finalInventory } from "../../../src/releases/inventory.ts";
import { text } from "../../support/plan/declare.ts";
import { inventoryFrom, planOf, planText } from "../../support/plan/plan-text.ts";

const config = (name: string, value = "text") =>
  `app/${name}: {apiVersion: v1, kind: ConfigMap, metadata: {name: ${name}}, data: {x: ${value}}}\n`;
const claim = "app/data: {apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: data}}\n";
const key = (name: string) => `core:ConfigMap::shop/${name}`;

test("a plan for some objects writes or deletes only these, and the inventory keeps the others", () => {
  const before =
    config("changed", "new") + config("drifted", "by-hand") + config("new") + config("older");
  const plan = planOf({
    before: before + claim,
    declared: config("changed") + config("drifted") + config("absent"),
    onlyKeys: [key("changed"), key("new"), "core:PersistentVolumeClaim::shop/data"],
  });
  expect(planText(plan)).toBe(
    text(`
    update ConfigMap shop/changed (app, server)
    delete ConfigMap shop/new (app)
    keep ConfigMap shop/older (not changed: nothing has changed it since the release)
    keep PersistentVolumeClaim shop/data (not changed: its kind is protected; the next deployment checks it again)
    `),
  );
  if (!plan.ok) throw new Error("there is no plan");
  const deleted = [{ key: key("new"), outcome: "deleted" as const, detail: "" }];
  const left = finalInventory(inventoryFrom(before + claim), plan.value, deleted);
  expect(left.map(({ id }) => id.name)).toEqual(["changed", "drifted", "older", "data"]);
});
