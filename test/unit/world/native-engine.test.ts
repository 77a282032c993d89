import { join } from "node:path";
import { expect, test } from "vitest";
import { nativeEngine } from "../../../src/world/native-engine.ts";
import { builtNative } from "../../support/cue/native.ts";

const root = join(import.meta.dirname, "../../..");

test("the native engine is looked for in the program's own package only", () => {
  const found = nativeEngine({});
  expect(found).toBe(builtNative);
  expect(found ?? join(root, "native/none")).toContain(join(root, "native/"));
});

test("QVS_ENGINE=wasm evaluates without it", () => {
  expect(nativeEngine({ QVS_ENGINE: "wasm" })).toBeUndefined();
});
