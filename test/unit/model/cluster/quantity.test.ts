import { expect, test } from "vitest";
import { formatQuantity, parseQuantity } from "../../../../src/model/cluster/quantity.ts";

test.each([
  ["250m", 0.25],
  ["2", 2],
  [3, 3],
  ["1.5", 1.5],
  ["1Gi", 1024 ** 3],
  ["100M", 1e8],
  ["1e3", 1000],
  ["12E", 12e18],
  ["1Ki", 1024],
  ["many", undefined],
  ["", undefined],
  ["1Zi", undefined],
  [null, undefined],
])("%j is %s", (text, number) => {
  expect(parseQuantity(text)).toBe(number);
});

test.each([
  [0.25, "requests.cpu", "250m"],
  [2, "cpu", "2"],
  [1024 ** 3, "requests.memory", "1Gi"],
  [1536 * 1024 ** 2, "limits.memory", "1536Mi"],
  [100 * 1024 ** 2, "memory", "100Mi"],
  [1e8, "memory", "100000000"],
  [3, "pods", "3"],
])("%s of %s is written %s", (number, resource, text) => {
  expect(formatQuantity(number, resource)).toBe(text);
});
