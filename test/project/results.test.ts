import { expect, test } from "vitest";
import { measuredCommits } from "../../bench/results.ts";

test("bench/RESULTS.md has sections of one commit only", () => {
  const commits = measuredCommits();

  expect(commits.size).toBeGreaterThan(10);
  expect(new Set(commits.values()).size).toBe(1);
  for (const commit of commits.values()) expect(commit).toMatch(/^[0-9a-f]{8}$/);
});
