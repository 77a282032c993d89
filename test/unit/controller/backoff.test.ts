import { expect, test } from "vitest";
import { createBackoff, createFightGuard, jittered } from "../../../src/controller/backoff.ts";

const middle = () => 0.5;

test("delays double up to the limit, per item, and restart after success", () => {
  const backoff = createBackoff({ first: 1000, longest: 10_000 }, middle);
  const next = (item: string, times: number) =>
    Array.from({ length: times }, () => backoff.next(item));
  expect(next("a", 6)).toEqual([1000, 2000, 4000, 8000, 10_000, 10_000]);
  expect(next("b", 2)).toEqual([1000, 2000]);
  expect(backoff.attempts("a")).toBe(6);
  backoff.forget("a");
  expect(next("a", 2)).toEqual([1000, 2000]);
});

test("a thousand failures do not overflow the delay", () => {
  const backoff = createBackoff({ first: 1000, longest: 300_000 }, middle);
  for (let time = 0; time < 2000; time += 1) backoff.next("a");
  expect(backoff.next("a")).toBe(300_000);
});

test("jitter adds or removes up to a tenth", () => {
  expect([0, 0.5, 1].map((random) => jittered(1000, random))).toEqual([900, 1000, 1100]);
});

test("a few corrections are free, later ones wait longer, and a quiet period resets the delay", () => {
  const limits = { first: 2000, longest: 60_000, window: 600_000, free: 3 };
  const guard = createFightGuard(limits);
  const at = (seconds: number) => guard.corrected("a", seconds * 1000);
  expect([0, 1, 2, 3, 4, 5, 6, 7, 8, 9].map(at)).toEqual([
    0, 0, 0, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000,
  ]);
  expect(guard.corrected("b", 9000)).toBe(0);
  expect(at(9 + 600)).toBe(0);
});
