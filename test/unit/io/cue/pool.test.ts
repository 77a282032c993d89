import { expect, test } from "vitest";
import { needsAnotherWorker, nextRequest } from "../../../../src/io/cue/pool.ts";

const queue = (...patterns: readonly string[]) => patterns.map((each) => ({ keys: [each] }));
const keys = (...patterns: readonly string[]) => new Set(patterns);

test.each([
  ["the first one that this worker has evaluated before", ["b", "a", "a"], ["a"], [[]], 1],
  ["otherwise the first one that no worker has evaluated", ["b", "c"], ["a"], [["b"]], 1],
  [
    "otherwise the last one, which its own worker would reach last",
    ["b", "b", "b"],
    ["a"],
    [["b"]],
    2,
  ],
  ["the first one in an engine that has evaluated nothing", ["a", "b"], [], [], 0],
] as const)("an idle worker takes %s", (_, waiting, own, others, expected) => {
  const all = others.map((each) => keys(...each));
  expect(nextRequest(queue(...waiting), keys(...own), all)).toBe(expected);
});

test("a request for two patterns is known only to a worker that evaluated both", () => {
  const both = [{ keys: ["a", "b"] }];
  expect(needsAnotherWorker(both, [keys("a"), keys("b")])).toBe(true);
  expect(needsAnotherWorker(both, [keys("a", "b")])).toBe(false);
});

test.each([
  ["something that no worker has evaluated", ["a", "b"], true],
  ["a few that one worker has evaluated", ["a", "a", "a", "a"], false],
  ["many that one worker has evaluated", ["a", "a", "a", "a", "a"], true],
  ["nothing", [], false],
] as const)("the pool starts another worker for %s", (_, waiting, expected) => {
  expect(needsAnotherWorker(queue(...waiting), [keys("a")])).toBe(expected);
});
