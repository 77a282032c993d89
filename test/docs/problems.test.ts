import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { problemCodes } from "../../src/model/problems/problem-codes.ts";

const root = join(import.meta.dirname, "..", "..");
const codes = Object.keys(problemCodes);
const sources = globSync("src/**/*.ts", { cwd: root })
  .filter((path) => !path.startsWith("src/model/problems/codes/"))
  .map((path) => readFileSync(join(root, path), "utf8"));

describe("the codes of problems", () => {
  it("are all used, and the compiler rejects unknown ones", { tags: "slow" }, () => {
    expect(codes.filter((code) => !sources.some((text) => text.includes(`"${code}"`)))).toEqual([]);
  });

  it("are short words with hyphens, sorted in each table and in only one table", () => {
    expect(codes.filter((code) => !/^[a-z]+(-[a-z0-9]+){1,3}$/.test(code))).toEqual([]);
    const files = globSync(join(root, "src/model/problems/codes/*.ts"));
    const tables = files.flatMap((file) =>
      readFileSync(file, "utf8")
        .split(/^export const /m)
        .slice(1),
    );
    const named = tables.map((table) =>
      [...table.matchAll(/^ {2}"?([a-z0-9-]+)"?:/gm)].map(([, code]) => code),
    );
    expect(named).toHaveLength(10);
    for (const inTable of named) expect(inTable).toEqual(inTable.toSorted());
    expect(named.flat().toSorted()).toEqual(codes.toSorted());
  });

  it("are described with their meaning and a fix, in whole sentences", () => {
    const texts = Object.values(problemCodes);
    expect(texts.filter((text) => !/^(?:["`A-Z]|qvs ).*\. .*\.$/.test(text))).toEqual([]);
  });
});
