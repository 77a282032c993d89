import { expect, test } from "vitest";
import type { Release } from "../../src/model/release.ts";
import { checkRemoval } from "../../src/planning/checks/check-removal.ts";
import type { PlanningContext } from "../../src/planning/planning-context.ts";
import type { CommitRelation } from "../../src/ports/git.ts";
import { release } from "../releases/release-from.ts";

/** Commits are single letters, in the order of the branch; `?` is in no clone. */
function relationOf(commit: string, other: string): CommitRelation {
  if (other === "?") return "unknown";
  if (other === "x") return "diverged";
  return commit === other ? "same" : commit < other ? "older" : "newer";
}

function check(commit: string | undefined, releases: readonly Release[]) {
  const order = {
    whenOlder: "refuse",
    relationOf: async (a: string, b: string) => relationOf(a, b),
  };
  const context = { order, source: { commit }, deployment: { name: "shop" } };
  return checkRemoval(context as unknown as PlanningContext, releases);
}

const manifest = { stage: "app", resource: "a", object: {}, dependsOn: [] } as const;

function at(revision: number, commit: string | undefined, more: Partial<Release> = {}): Release {
  const made = release(revision, "succeeded");
  return { ...made, expandedConfig: [manifest], source: { ...made.source, commit }, ...more };
}

const leftover = at(4, undefined, { expandedConfig: [], status: "failed" });

const cases: readonly (readonly [string, readonly Release[], string | undefined])[] = [
  ["what runs is older", [at(3, "b")], undefined],
  ["nothing runs", [], undefined],
  ["an earlier deletion has failed half-way", [leftover, at(3, "b")], undefined],
  ["a newer commit runs", [at(3, "d")], "older-commit"],
  ["a newer commit was half deleted", [leftover, at(3, "d")], "older-commit"],
  [
    "it was brought back at this very commit",
    [at(3, "c", { rollbackOf: 2 }), at(2, "b")],
    "older-commit",
  ],
  ["a commit of another line runs", [at(3, "x")], "commit-order-unknown"],
  ["the clone does not have the commit", [at(3, "?")], "commit-order-unknown"],
  ["what runs comes from no commit", [at(3, undefined)], "commit-order-unknown"],
  [
    "what runs was changed before it was committed",
    [at(3, "b", { source: { ...at(3, "b").source, uncommitted: true } })],
    "commit-order-unknown",
  ],
];

test.each(cases)("a commit removes a deployment: %s", async (_, releases, expected) => {
  expect((await check("c", releases))[0]?.code).toBe(expected);
});

test("what is of no commit removes nothing", async () => {
  expect((await check(undefined, [at(3, "b")]))[0]?.what).toBe(
    'release 3 of "shop" comes from b, and the commit that removes it, , does not follow that',
  );
});
