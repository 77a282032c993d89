import { expect, test } from "vitest";
import { assignOwner } from "../../../src/controller/reconcile-deployment.ts";
import { sha256 } from "../../../src/world/sha256.ts";

const items = Array.from({ length: 3000 }, (_, index) => `shop-${index % 7}/web-${index}`);

function owners(members: readonly string[]): ReadonlyMap<string, string | undefined> {
  return new Map(items.map((item) => [item, assignOwner(item, members, sha256)]));
}

test("the order of the members doesn't change the assignment", () => {
  expect(owners(["a", "b", "c"])).toEqual(owners(["c", "a", "b"]));
});

test("the shares have similar sizes", () => {
  const shares = Map.groupBy(owners(["a", "b", "c"]).values(), (owner) => owner ?? "none");
  const sizes = [...shares.values()].map((share) => share.length);
  expect(sizes).toHaveLength(3);
  for (const size of sizes) expect(Math.abs(size - 1000)).toBeLessThan(100);
});

test("only the deployments of a leaving member move", () => {
  const before = owners(["a", "b", "c"]);
  const after = owners(["a", "c"]);
  const moved = items.filter((item) => before.get(item) !== after.get(item));
  expect(moved).toEqual(items.filter((item) => before.get(item) === "b"));
});

test("without members, no deployment has an owner", () => {
  expect(assignOwner("shop/web", [], sha256)).toBeUndefined();
});
