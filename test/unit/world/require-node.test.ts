import { expect, test } from "vitest";
import manifest from "../../../package.json" with { type: "json" };
import { requireNode } from "../../../src/world/require-node.ts";

test.each([
  ["20.20.2", ["qvs needs Node.js 22.15 or newer; this is v20.20.2.\n", 1, false]],
  ["9.0.0", ["qvs needs Node.js 22.15 or newer; this is v9.0.0.\n", 1, false]],
  ["22.14.0", ["qvs needs Node.js 22.15 or newer; this is v22.14.0.\n", 1, false]],
  ["22.15.0", [true]],
  ["24.0.0", [true]],
  ["100.1.0", [true]],
])("on Node.js %s, the check writes and returns %j", (node, expected) => {
  const done: unknown[] = [];
  const stderr = { write: (text: string) => done.push(text) };
  const process = { versions: { node }, stderr, exit: (code: number) => done.push(code) };
  done.push(requireNode(process as unknown as NodeJS.Process));
  expect(done).toEqual(expected);
});

test("package.json requires the same version", () => {
  expect(manifest.engines.node).toBe(">=22.15");
});
