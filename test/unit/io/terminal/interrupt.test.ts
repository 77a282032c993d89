import { EventEmitter } from "node:events";
import { expect, test } from "vitest";
import { interruptible } from "../../../../src/io/terminal/interrupt.ts";

test.each([
  ["SIGINT", "stops cleanly"],
  ["SIGTERM", "stops cleanly"],
  ["SIGINT SIGTERM", "stops cleanly"],
  ["SIGTERM SIGTERM", "stops cleanly"],
  ["SIGTERM SIGINT", "stops cleanly"],
  ["SIGINT SIGINT", "ends with 130"],
  ["SIGINT SIGTERM SIGINT", "ends with 130"],
])("%s %s", (signals, expected) => {
  const exits: number[] = [];
  const lines: string[] = [];
  const process = Object.assign(new EventEmitter(), {
    exit: (code: number) => exits.push(code),
    stderr: { write: (text: string) => lines.push(text) },
  });
  const interrupt = interruptible(process as unknown as NodeJS.Process);
  for (const signal of signals.split(" ")) process.emit(signal);
  expect(interrupt.signal.aborted).toBe(true);
  expect(exits.length === 0 ? "stops cleanly" : `ends with ${exits}`).toBe(expected);
  expect(lines.join()).toEqual(
    exits.length === 0 ? "" : expect.stringContaining("deployment lock expires"),
  );
  interrupt.stop();
  expect(process.listenerCount("SIGINT") + process.listenerCount("SIGTERM")).toBe(0);
});
