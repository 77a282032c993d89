import { expect, test } from "vitest";
import { createQueue } from "../../../src/controller/queue.ts";
import { virtualClock } from "../../support/virtual-clock.ts";

test("an item that is added several times is queued once", async () => {
  const queue = createQueue(virtualClock());
  for (const item of ["a", "b", "a", "a"]) queue.add(item);
  expect(queue.waiting()).toBe(2);
  expect([await queue.take(), await queue.take()]).toEqual(["a", "b"]);
  expect(queue.waiting()).toBe(0);
});

test("an item that is added during its work is returned once, after the work is done", async () => {
  const queue = createQueue(virtualClock());
  queue.add("a");
  await queue.take();
  queue.add("a");
  queue.add("a");
  queue.add("b");
  expect([queue.waiting(), await queue.take(), queue.waiting()]).toEqual([1, "b", 0]);
  queue.done("a");
  expect([queue.waiting(), await queue.take(), queue.waiting()]).toEqual([1, "a", 0]);
  queue.done("a");
  expect(queue.waiting()).toBe(0);
});

test("waiting callers get items in the order of waiting", async () => {
  const queue = createQueue(virtualClock());
  const taken = Promise.all([queue.take(), queue.take()]);
  queue.add("a");
  queue.add("b");
  expect(await taken).toEqual(["a", "b"]);
});

test("the earliest due time of an item is used, and adding it immediately cancels later ones", async () => {
  const clock = virtualClock("2026-01-01T00:00:00Z");
  const queue = createQueue(clock);
  queue.addAfter("a", 60_000);
  queue.addAfter("a", 5_000);
  queue.addAfter("a", 30_000);
  expect(await queue.take()).toBe("a");
  expect(clock.now().toISOString()).toBe("2026-01-01T00:00:05.000Z");
  queue.done("a");
  queue.addAfter("b", 1_000);
  queue.add("b");
  await queue.take();
  queue.done("b");
  queue.addAfter("c", 100_000);
  expect(await queue.take()).toBe("c");
});

test("a dropped item isn't returned, whether it waits or is due later", async () => {
  const queue = createQueue(virtualClock());
  queue.add("a");
  queue.addAfter("b", 1_000);
  queue.drop("a");
  queue.drop("b");
  queue.addAfter("c", 2_000);
  expect(await queue.take()).toBe("c");
});

test("a closed queue returns no items and releases the waiting callers", async () => {
  const queue = createQueue(virtualClock());
  const waiting = queue.take();
  queue.close();
  queue.add("a");
  expect([await waiting, await queue.take()]).toEqual([undefined, undefined]);
});
