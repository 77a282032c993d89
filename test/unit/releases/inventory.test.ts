import { expect, test } from "vitest";
import type { Release } from "../../../src/model/deployments/release.ts";
import { createReleaseHistory } from "../../../src/model/deployments/release-history.ts";
import type { Plan } from "../../../src/model/plan/plan.ts";
import { inventoryWithPlan, liveInventory } from "../../../src/releases/inventory.ts";
import { finishRelease, pendingRelease } from "../../../src/releases/record.ts";
import { release, releasesFrom } from "../../support/plan/release-from.ts";

function namesOf(inventory: readonly { readonly id: { readonly name: string } }[]): string {
  return inventory.map(({ id }) => id.name).join(" ");
}

test.each([
  ["nothing is recorded yet", "", ""],
  [
    "only the last successful release counts",
    "1 succeeded inventory: a\n2 succeeded inventory: b",
    "b",
  ],
  [
    "failed and killed runs since then count too",
    "1 succeeded inventory: a\n2 succeeded inventory: b\n3 failed inventory: c\n4 pending inventory: d b",
    "b c d",
  ],
  ["without any success everything counts", "1 failed inventory: a\n2 pending inventory: b", "a b"],
])("%s", (_name, lines, expected) => {
  const releases = lines === "" ? [] : releasesFrom(lines);
  expect(namesOf(liveInventory(createReleaseHistory(releases.toReversed())))).toBe(expected);
});

test("the newest release with an object decides its edges", () => {
  const [a] = liveInventory(
    createReleaseHistory(releasesFrom("1 succeeded inventory: a\n2 failed inventory: a")),
  );
  expect(a?.after[0]?.reason).toBe("release 2");
});

test("the edges of every release that might have created an object are obeyed", () => {
  const [a] = releasesFrom("1 succeeded inventory: a");
  const releases = [
    a,
    { ...a, revision: 2, status: "failed", inventory: withEdge(a, "new") },
    { ...a, revision: 3, status: "pending", inventory: withEdge(a, "newer") },
  ] as Release[];
  const edges = (all: readonly Release[]) =>
    liveInventory(createReleaseHistory(all))[0]?.after.map(({ on }) => on);
  expect(edges(releases)).toEqual(["newer", "new", "core:Namespace::shop"]);
  const [first, ...rest] = releases as [Release, ...Release[]];
  expect(edges([...rest, { ...first, revision: 4 }])).toEqual(["core:Namespace::shop"]);
});

function withEdge(release: Release | undefined, on: string): Release["inventory"] {
  return (release?.inventory ?? []).map((entry) => ({ ...entry, after: [{ on, reason: "" }] }));
}

const facts = {
  ...release(3, "pending"),
  revision: 3,
};

/** A plan that declares `c`, deletes `a`, and keeps `b`. */
const plan: Plan = {
  deployment: "shop",
  namespace: "shop",
  changes: [
    {
      key: "core:ConfigMap::shop/c",
      id: { group: "", kind: "ConfigMap", namespace: "shop", name: "c" },
      stage: "app",
      resource: "c",
      action: "create",
      steps: [{ type: "apply" }],
      desired: {
        apiVersion: "v1",
        kind: "ConfigMap",
        metadata: {
          name: "c",
          namespace: "shop",
          annotations: { "vs.axis-dev.io/keepOnDelete": "k" },
        },
      },
      live: undefined,
      predicted: undefined,
      certainty: { by: "server" },
      after: [],
    },
  ],
  deletions: [
    {
      key: "core:ConfigMap::shop/a",
      id: { group: "", kind: "ConfigMap", namespace: "shop", name: "a" },
      stage: "app",
      apiVersion: "v1",
      uid: "u",
      live: { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a", namespace: "shop" } },
      after: [],
    },
  ],
  kept: [
    {
      key: "core:ConfigMap::shop/b",
      id: { group: "", kind: "ConfigMap", namespace: "shop", name: "b" },
      why: "keepOnDelete",
      detail: "",
    },
  ],
  notices: [],
  digest: "",
};

test("an order that matters only during creation isn't recorded as a dependency", () => {
  const after = [
    { on: "storage.k8s.io:StorageClass::fast", reason: "", unrecorded: true },
    { on: "core:Namespace::shop", reason: "" },
  ] as const;
  const [change] = plan.changes;
  const made = { ...plan, changes: change === undefined ? [] : [{ ...change, after }] };
  const edges = inventoryWithPlan([], made).find(({ id }) => id.name === "c")?.after;
  expect(edges).toEqual([{ on: "core:Namespace::shop", reason: "" }]);
});

const earlier = releasesFrom("1 succeeded inventory: a b gone");
const outcomeOfA = (outcome: "deleted" | "kept") => [
  { key: "core:ConfigMap::shop/a", outcome, detail: "" },
];

test("the pending record lists all possible objects and all planned ones", () => {
  const pending = pendingRelease(plan, createReleaseHistory(earlier), facts);
  expect(pending.status).toBe("pending");
  expect(namesOf(pending.inventory)).toBe("a b c gone");
  expect(pending.inventory.find(({ id }) => id.name === "c")?.keepOnDelete).toBe("k");
});

test("a successful release forgets deleted and absent objects and keeps the others", () => {
  const pending = pendingRelease(plan, createReleaseHistory(earlier), facts);
  const finishedAt = "2026-01-02T03:06:00.000Z";
  const done = { succeeded: true, results: outcomeOfA("deleted"), finishedAt };
  const finished = finishRelease(pending, plan, done);
  expect([finished.status, finished.finishedAt, namesOf(finished.inventory)]).toEqual([
    "succeeded",
    finishedAt,
    "b c",
  ]);
});

test("a postponed deletion stays in the inventory", () => {
  const pending = pendingRelease(plan, createReleaseHistory(earlier), facts);
  const postponed = { succeeded: true, results: outcomeOfA("kept"), finishedAt: "" };
  expect(namesOf(finishRelease(pending, plan, postponed).inventory)).toBe("a b c");
});

test("a failed release forgets nothing", () => {
  const pending = pendingRelease(plan, createReleaseHistory(earlier), facts);
  const failed = { succeeded: false, results: outcomeOfA("deleted"), finishedAt: "" };
  expect(namesOf(finishRelease(pending, plan, failed).inventory)).toBe("a b c gone");
});
