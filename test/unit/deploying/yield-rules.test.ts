import { expect, test } from "vitest";
import { createYieldRules, supersededNotice } from "../../../src/deploying/yield-rules.ts";
import type { LockRun } from "../../../src/model/cluster/deployment-lock.ts";

/**
 * Returns the relation of two commits by their letters. `other` is on another branch, `lost` isn't
 * in any clone.
 */
async function relationOf(a: string, b: string) {
  if ([a, b].includes("lost")) return "unknown" as const;
  if (a === b) return "same" as const;
  if ([a, b].includes("other")) return "diverged" as const;
  return a < b ? ("older" as const) : ("newer" as const);
}

function runOf(text: string): LockRun {
  const [does = "", commit] = text.split(" ");
  return { does: does === "rollback" ? "rollback" : "deploy", commit };
}

async function outcomeOf(waits: string, holds: string, could = true): Promise<string> {
  const [waiting, holding] = [runOf(waits), runOf(holds)];
  const mine = createYieldRules(waiting.does, waiting, relationOf, async () => could);
  if (!(await mine.mayChallenge(holding))) return "waits";
  const theirs = createYieldRules(holding.does, holding, relationOf, async () => could);
  return (await theirs.yieldsTo(mine.self)) ? "takes over" : "asks, and waits";
}

test.each([
  ["deploy b", "deploy a", "takes over"],
  ["deploy a", "deploy b", "waits"],
  ["deploy a", "deploy a", "waits"],
  ["deploy other", "deploy a", "waits"],
  ["deploy lost", "deploy a", "waits"],
  ["deploy", "deploy a", "waits"],
  ["deploy b", "deploy", "waits"],
  ["deploy b", "rollback a", "waits"],
  ["rollback a", "deploy b", "takes over"],
  ["rollback", "deploy", "takes over"],
  ["rollback b", "rollback a", "waits"],
])("%s waits for %s: it %s", async (waits, holds, expected) => {
  expect(await outcomeOf(waits, holds)).toBe(expected);
});

test("a run that would be rejected doesn't interrupt another one", async () => {
  expect(await outcomeOf("deploy b", "deploy a", false)).toBe("waits");
});

test.each([
  ["deploy lost", "unknown order, so it trusts the newer clone", true],
  ["deploy a", "it knows better", false],
  ["deploy other", "it knows better", false],
  ["deploy", "nothing shows that it is newer", false],
])("the holder at b gets a request from %s: %s", async (challenger, _why, expected) => {
  const holder = createYieldRules("deploy", runOf("deploy b"), relationOf, async () => true);
  expect(await holder.yieldsTo(runOf(challenger))).toBe(expected);
});

test("uncommitted changes have no commit", () => {
  const source = { commit: "b", uncommitted: true } as const;
  const { self } = createYieldRules("deploy", source, relationOf, async () => true);
  expect(self.commit).toBeUndefined();
});

test.each([
  [
    "https://github.com/acme/shop/actions/runs/7 (pid 4)",
    "commit bbbbbbbbbbbb in https://github.com/acme/shop/actions/runs/7",
  ],
  ["ann@laptop.internal (pid 4)", "commit bbbbbbbbbbbb"],
])("a comment about %s names no machine", (by, expected) => {
  const challenger = { does: "deploy", commit: "b".repeat(40), by } as const;
  expect(supersededNotice("shop", challenger).facts).toEqual([
    { label: "newer run", value: expected },
  ]);
});
