import { describe, expect, it } from "vitest";
import { maxRatio, minDifferenceMs, slowerRows } from "../../bench/guard.ts";

const costs = (...cpuMs: readonly number[]) => cpuMs.map((cpuMs) => ({ wallMs: 0, cpuMs }));
const slower = (now: readonly number[], before: readonly number[]) =>
  slowerRows({ rows: [{ subject: "diff", costs: costs(...now), against: costs(...before) }] });

describe("the guard of the speed", () => {
  it.each([
    ["a slower command", [1100, 1100, 1100], [1000, 1000, 1000], ["diff: 1.10"]],
    ["a command within the limit", [1070, 1070, 1070], [1000, 1000, 1000], []],
    ["one slow round", [1000, 2000, 1000], [1000, 1000, 1000], []],
    ["a difference below the noise", [49, 49, 49], [40, 40, 40], []],
    ["rounds on a busy machine", [3300, 1100, 2200], [3000, 1000, 2000], ["diff: 1.10"]],
  ])("judges %s", (_, now, before, expected) => {
    expect(slower(now, before)).toEqual(expected);
    expect([maxRatio, minDifferenceMs]).toEqual([1.08, 10]);
  });

  it("ignores rows that are compared with nothing", () => {
    expect(slowerRows({ rows: [{ subject: "diff: parent", costs: costs(1) }] })).toEqual([]);
  });
});
