import { expect, test } from "vitest";
import { walkDepthFirst } from "../../../src/model/depth-first.ts";

/**
 * Walks a graph of lines such as `a b c`, with edges from a to b and c. Returns the nodes in the
 * order of leaving, and the cycles.
 */
function walk(graph: string) {
  const lines = graph.split("\n").map((line) => line.trim().split(" "));
  const edges = new Map(lines.map(([node = "", ...targets]) => [node, targets]));
  const left: string[] = [];
  const cycles: string[] = [];
  walkDepthFirst<string>(edges.keys(), {
    edgesOf: (node) => edges.get(node) ?? [],
    targetOf: (target) => target,
    leave: (node) => left.push(node),
    cycle: (way) => cycles.push(way.map(({ from, edge }) => `${from}>${edge}`).join(" ")),
  });
  return { left: left.join(" "), cycles };
}

test.each([
  ["a node follows its targets", "a b c\nb c", "c b a", []],
  ["a node is visited once", "a b c\nb d\nc d", "d b c a", []],
  ["a cycle consists of all its edges", "a b\nb c\nc b d", "d c b a", ["b>c c>b"]],
  ["a node can lead to itself", "a a", "a", ["a>a"]],
])("%s", (_, graph, left, cycles) => {
  expect(walk(graph)).toEqual({ left, cycles });
});

test("a chain can be longer than the stack", { tags: "slow" }, () => {
  const length = 100_000;
  const lines = Array.from({ length }, (_, index) => `${index} ${index + 1}`);
  const { left, cycles } = walk(lines.join("\n"));
  expect(left.startsWith(`${length} ${length - 1}`)).toBe(true);
  expect(cycles).toEqual([]);
});
