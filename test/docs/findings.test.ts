import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { findingCodes } from "../../src/model/problems/finding-codes.ts";

const root = join(import.meta.dirname, "..", "..");
const codes = Object.keys(findingCodes);
const sources = globSync("src/**/*.ts", { cwd: root })
  .filter((path) => !path.endsWith("finding-codes.ts"))
  .map((path) => readFileSync(join(root, path), "utf8"));

describe("the codes of findings", () => {
  it("are all used, and the compiler rejects unknown ones", () => {
    expect(codes.filter((code) => !sources.some((text) => text.includes(`"${code}"`)))).toEqual([]);
  });

  it("are short words with hyphens", () => {
    expect(codes.filter((code) => !/^[a-z]+(-[a-z0-9]+){0,3}$/.test(code))).toEqual([]);
  });

  it("are described with their meaning and a fix, in whole sentences", () => {
    const texts = Object.values(findingCodes);
    expect(texts.filter((text) => !/^(?:["`A-Z]|qvs ).*\.$/s.test(text))).toEqual([]);
  });
});
