import { describe, expect, test } from "vitest";
import {
  compareSources,
  isReplaced,
  type LockedSource,
  type SourceType,
} from "../../../../src/model/sources/locked-source.ts";

/** Reads lines such as `chart redis registry 1.0.0 a`. */
function sources(...lines: readonly string[]): readonly LockedSource[] {
  return lines.map((text, index) => {
    const [type, name = "", from = "", version = "", pinned = ""] = text.split(" ");
    const where = { file: "qvs.lock", line: index + 1, column: 1 };
    return { type: type as SourceType, name, from, version, pinned, where };
  });
}

function check(before: readonly string[], after: readonly string[]): readonly string[] {
  return compareSources(sources(...before), sources(...after)).map((each) => {
    const sides = [each.before, each.after].map((side) =>
      side === undefined ? "-" : `${side.from} ${side.version} ${side.pinned}`,
    );
    const mark = isReplaced(each) ? " (replaced)" : "";
    return `${each.type} ${each.name}: ${sides.join(" → ")}${mark}`;
  });
}

describe("the changed sources of two lockfiles", () => {
  const cases = [
    ["the same entries", ["chart r a 1 x"], ["chart r a 1 x"], []],
    ["another version", ["chart r a 1 x"], ["chart r a 2 y"], ["chart r: a 1 x → a 2 y"]],
    [
      "another digest of the same version",
      ["chart r a 1 x"],
      ["chart r a 1 y"],
      ["chart r: a 1 x → a 1 y (replaced)"],
    ],
    ["another registry", ["chart r a 1 x"], ["chart r b 1 x"], ["chart r: a 1 x → b 1 x"]],
    ["a new source", [], ["module m g v1 x"], ["module m: - → g v1 x"]],
    ["a removed source", ["base b b v1 x"], [], ["base b: b v1 x → -"]],
    ["a moved branch", ["base b b main x"], ["base b b main y"], ["base b: b main x → b main y"]],
    [
      "a moved tag",
      ["module m g v1.2.0 x"],
      ["module m g v1.2.0 y"],
      ["module m: g v1.2.0 x → g v1.2.0 y (replaced)"],
    ],
    [
      "a chart in two versions, one of which moves",
      ["chart r a 1 x", "chart r a 2 y"],
      ["chart r a 1 x", "chart r a 3 z"],
      ["chart r: a 2 y → a 3 z"],
    ],
    [
      "a chart in two versions that both move",
      ["chart r a 1 x", "chart r a 2 y"],
      ["chart r a 3 x", "chart r a 4 y"],
      ["chart r: a 1 x → -", "chart r: a 2 y → -", "chart r: - → a 3 x", "chart r: - → a 4 y"],
    ],
    ["the same entry twice", ["chart r a 1 x"], ["chart r a 1 x", "chart r a 1 x"], []],
    [
      "the name of another type",
      ["module m g v1 x"],
      ["base m g v1 x"],
      ["module m: g v1 x → -", "base m: - → g v1 x"],
    ],
  ] as const;
  test.each(cases)("%s", (_title, before, after, expected) => {
    expect(check(before, after)).toEqual(expected);
  });
});
