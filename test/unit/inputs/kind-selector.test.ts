import { expect, test } from "vitest";
import { parseObjects } from "../../../src/inputs/kind-selector.ts";

test.each([
  ["a: 1\n---\nb: 2\n---\n# no object\n", [{ a: 1 }, { b: 2 }]],
  ['{"a": 1}', [{ a: 1 }]],
  ['{"a": 1}\n---\n{"b": 2}\n', [{ a: 1 }, { b: 2 }]],
  ['[{"a": 1}, {"b": 2}]', [{ a: 1 }, { b: 2 }]],
  ["kind: List\nitems: [{a: 1}, {kind: PodList, items: [{b: 2}]}]", [{ a: 1 }, { b: 2 }]],
  ["kind: List\nitems: none", [{ kind: "List", items: "none" }]],
  ["at: 2026-01-01T00:00:00Z", [{ at: "2026-01-01T00:00:00Z" }]],
  ["", []],
])("parseObjects(%j)", (text, expected) => {
  expect(parseObjects(text)).toEqual(expected);
});

test.each(["a: [", "a: &a [*a, *a, *a]"])("parseObjects(%j) is an error", (text) => {
  expect(parseObjects(text)).toBeTypeOf("string");
});
