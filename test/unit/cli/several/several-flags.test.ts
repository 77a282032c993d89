import { Command } from "commander";
import { expect, test } from "vitest";
import { splitSelection, withSeveralOptions } from "../../../../src/cli/flags/several.ts";
import { worstExitCode } from "../../../../src/cli/several/run-several.ts";

function split(...args: readonly string[]) {
  const command = withSeveralOptions(new Command().exitOverride());
  command.parse(["node", "qvs", ...args]);
  return splitSelection<{ readonly deployment?: string }>(command.opts());
}

test.each([
  [[], {}],
  [["-d", "shop"], { deployment: "shop" }],
])("%j select one deployment, as in a run without patterns", (args, flags) => {
  expect(split(...args)).toEqual({ flags, several: undefined });
});

test.each([
  [["--all"], { patterns: [] }],
  [["-d", "shop-*"], { patterns: ["shop-*"] }],
  [["-d", "a", "-d", "b", "-d", "a"], { patterns: ["a", "b"] }],
  [["--changed", "v1"], { patterns: [], changedSince: "v1" }],
  [
    ["-d", "a", "--changed", "v1", "--parallel", "8"],
    { patterns: ["a"], changedSince: "v1", parallel: 8 },
  ],
])("%j select several", (args, several) => {
  const none = { changedSince: undefined, parallel: undefined };
  expect(split(...args)).toEqual({ flags: {}, several: { ...none, ...several } });
});

test.each([
  [["--all", "-d", "a"], "--all can't be combined with --deployment"],
  [["--all", "--changed", "v1"], "--all can't be combined with --changed"],
  [["-d", "a", "--parallel", "2"], "--parallel has no effect with one deployment"],
])("%j are an error", (args, message) => {
  expect(() => split(...args)).toThrow(message);
});

test.each([
  [[], 0],
  [[0, 0], 0],
  [[0, 2], 2],
  [[2, 3, 0], 3],
  [[1, 3, 2], 1],
  [[1, 130], 130],
  [[130, 70, 1], 70],
])("of the exit codes %j the run has %i", (codes, worst) => {
  expect(worstExitCode(codes)).toBe(worst);
  expect(worstExitCode(codes.toReversed())).toBe(worst);
});
