import { expect, test } from "vitest";
import { requireNode } from "../../src/world/require-node.ts";

test.each([
  ["20.20.2", ["qvs needs Node.js 24 or newer; this is v20.20.2.\n", 1]],
  ["9.0.0", ["qvs needs Node.js 24 or newer; this is v9.0.0.\n", 1]],
  ["24.0.0", []],
  ["100.1.0", []],
])("on Node.js %s it says and does %j", (node, expected) => {
  const done: unknown[] = [];
  const stderr = { write: (text: string) => done.push(text) };
  const process = { versions: { node }, stderr, exit: (code: number) => done.push(code) };
  requireNode(process as unknown as NodeJS.Process);
  expect(done).toEqual(expected);
});
