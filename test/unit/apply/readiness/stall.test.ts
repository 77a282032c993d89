import { expect, test } from "vitest";
import { createStallMonitor } from "../../../../src/apply/readiness/stall.ts";

function monitorWith(noProgressMs: number | undefined) {
  let now = 0;
  const monitor = createStallMonitor({ elapsed: () => now }, noProgressMs);
  const at = (milliseconds: number) => {
    now = milliseconds;
  };
  return { monitor, at };
}

test("without a limit, no object stalls the run", () => {
  const { monitor, at } = monitorWith(undefined);
  const web = monitor.begin("web");
  at(1e9);
  expect(web.remaining()).toBe(Number.POSITIVE_INFINITY);
});

test("a new state begins the time again, and a former state doesn't", () => {
  const { monitor, at } = monitorWith(60);
  const web = monitor.begin("web");
  web.observe("0/2");
  at(40);
  web.observe("1/2");
  at(70);
  web.observe("0/2");
  expect(web.remaining()).toBe(30);
  at(100);
  expect([web.remaining(), web.stuckMs()]).toEqual([0, 60]);
});

test("the progress of one object is the progress of the run", () => {
  const { monitor, at } = monitorWith(60);
  const web = monitor.begin("web");
  const api = monitor.begin("api");
  at(50);
  api.observe("1/3");
  expect(web.remaining()).toBe(60);
});

test("only the object that is stuck for the longest time stalls the run", () => {
  const { monitor, at } = monitorWith(60);
  const web = monitor.begin("web");
  const api = monitor.begin("api");
  at(10);
  api.observe("1/3");
  at(70);
  expect([web.remaining(), web.stuckMs()]).toEqual([0, 70]);
  expect(api.remaining()).toBe(Number.POSITIVE_INFINITY);
});

test("of two equally stuck objects, the first by key stalls the run", () => {
  const { monitor, at } = monitorWith(60);
  const web = monitor.begin("web");
  const api = monitor.begin("api");
  at(60);
  expect([web.remaining(), api.remaining()]).toEqual([Number.POSITIVE_INFINITY, 0]);
});

test("the end of a wait is progress, and its object no longer counts", () => {
  const { monitor, at } = monitorWith(60);
  const web = monitor.begin("web");
  const api = monitor.begin("api");
  at(50);
  api.end();
  expect(web.remaining()).toBe(60);
  at(110);
  expect([web.remaining(), web.stuckMs()]).toEqual([0, 110]);
});
