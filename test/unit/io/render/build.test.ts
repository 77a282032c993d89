import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { engineBuild, renderEngine } from "../../../../scripts/engines.ts";

const root = join(import.meta.dirname, "../../../..");

test("render-build.ts has the digest of the current sources of the render engine", () => {
  expect(readFileSync(renderEngine.build.file, "utf8")).toBe(engineBuild(renderEngine));
});

test("the packed render engine has at most 5.5 MB", () => {
  expect(statSync(join(root, "dist", renderEngine.wasm)).size).toBeLessThanOrEqual(5_500_000);
});
