import { expect, test } from "vitest";
import {
  formatDuration,
  readDuration,
  suggestDuration,
} from "../../../../src/model/text/duration.ts";

test.each([
  ["90s", 90_000],
  ["10m", 600_000],
  ["1.5h", 5_400_000],
  ["0s", undefined],
  ["0.0m", undefined],
  ["", undefined],
  ["20", undefined],
  ["20M", undefined],
  [" 20m", undefined],
  ["20m30s", undefined],
  ["-1m", undefined],
  ["1d", undefined],
])("%j is %s ms", (text, expected) => {
  expect(readDuration(text)).toBe(expected);
});

test.each([
  ["20M", "20m"],
  ["20 min", "20m"],
  [" 90 seconds ", "90s"],
  ["1h30m", "90m"],
  ["120s", "2m"],
  ["PT20M", "20m"],
  ["1d", "24h"],
  ["20", undefined],
  ["0s", undefined],
  ["soon", undefined],
  ["20x", undefined],
  ["", undefined],
])("for %j, %s was probably meant", (text, expected) => {
  expect(suggestDuration(text)).toBe(expected);
});

test.each([
  [1_500, undefined],
  [0, undefined],
  [61_000, "61s"],
  [180_000, "3m"],
  [7_200_000, "2h"],
])("%d ms are %s", (milliseconds, expected) => {
  expect(formatDuration(milliseconds)).toBe(expected);
});
