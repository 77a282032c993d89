import { expect, test } from "vitest";
import { choose, needsWorker } from "../../../src/io/cue/placement.ts";

const queue = (...patterns: readonly string[]) => patterns.map((each) => ({ keys: [each] }));
const warm = (...patterns: readonly string[]) => new Set(patterns);

test.each([
  ["the first that it is warm for", ["b", "a", "a"], ["a"], [[]], 1],
  ["else the first that nobody is warm for", ["b", "c"], ["a"], [["b"]], 1],
  ["else the last, which its own worker would come to last", ["b", "b", "b"], ["a"], [["b"]], 2],
  ["the first in an engine that has seen nothing", ["a", "b"], [], [], 0],
] as const)("an idle worker takes %s", (_, waiting, own, others, expected) => {
  const all = others.map((each) => warm(...each));
  expect(choose(queue(...waiting), warm(...own), all)).toBe(expected);
});

test("a request of two patterns is warm only where both are", () => {
  const both = [{ keys: ["a", "b"] }];
  expect(needsWorker(both, [warm("a"), warm("b")])).toBe(true);
  expect(needsWorker(both, [warm("a", "b")])).toBe(false);
});

test.each([
  ["something that is cold everywhere", ["a", "b"], true],
  ["a few that one worker is warm for", ["a", "a", "a", "a"], false],
  ["many that one worker is warm for", ["a", "a", "a", "a", "a"], true],
  ["nothing", [], false],
] as const)("one more worker for %s", (_, waiting, expected) => {
  expect(needsWorker(queue(...waiting), [warm("a")])).toBe(expected);
});
