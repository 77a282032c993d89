import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import manifest from "../../../package.json" with { type: "json" };
import { versionText } from "../../../src/world/version.ts";

const goMod = readFileSync(join(import.meta.dirname, "../../../engine/go.mod"), "utf8");
const [, cue] = /cuelang\.org\/go (v\S+)/.exec(goMod) ?? [];

test.each([
  ["abc1234abc12\n", "commit abc1234abc12"],
  ["abc1234abc12 with changes\n", "commit abc1234abc12 with changes"],
  ["something else", "build 1310ca2"],
  [undefined, "build 1310ca2"],
])("with packed-commit.txt %j it is %s", (text, expected) => {
  const folder = mkdtempSync(join(tmpdir(), "version-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  mkdirSync(join(folder, "dist"));
  // The SHA-256 of this file begins with 1310ca2.
  writeFileSync(join(folder, "dist/qvs.js"), "program");
  if (text !== undefined) writeFileSync(join(folder, "packed-commit.txt"), text);
  const program = pathToFileURL(join(folder, "dist/qvs.js"));
  expect(versionText(program)).toBe(`qvs ${manifest.version} (${expected}, cue ${cue})`);
});
