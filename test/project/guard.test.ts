import { describe, expect, it } from "vitest";
import { maxRatio, minDifferenceMs, slowerRows, withMoreRounds } from "../../bench/guard.ts";

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

  it("judges the rounds of all series together", () => {
    const series = (now: readonly number[], before: readonly number[]) => ({
      title: "",
      command: "",
      rounds: now.length,
      notes: [],
      versions: [],
      rows: [
        { subject: "diff: parent", costs: costs(...before) },
        { subject: "diff", costs: costs(...now), against: costs(...before) },
      ],
    });
    const first = series([1100, 1090, 1090], [1000, 1000, 1000]);
    expect(slowerRows(first)).toEqual(["diff: 1.09"]);
    const all = withMoreRounds(first, series([1060, 1070, 1050], [1000, 1000, 1000]));
    expect(all.rounds).toBe(6);
    expect(slowerRows(all)).toEqual([]);
    const slow = withMoreRounds(first, series([1095, 1070, 1090], [1000, 1000, 1000]));
    expect(slowerRows(slow)).toEqual(["diff: 1.09"]);
  });

  it("ignores rows that are compared with nothing", () => {
    expect(slowerRows({ rows: [{ subject: "diff: parent", costs: costs(1) }] })).toEqual([]);
  });
});
