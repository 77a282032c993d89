import { existsSync, globSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { freshArchitecture, freshBiome, freshReadme, readmes } from "../../scripts/layers.ts";

describe("the generated rules from layers.json", () => {
  it("match the overrides of biome.json", () => {
    expect(JSON.parse(readFileSync("biome.json", "utf8"))).toEqual(freshBiome());
  });

  it("match the table of ARCHITECTURE.md", () => {
    expect(readFileSync("ARCHITECTURE.md", "utf8")).toBe(freshArchitecture());
  });

  it.each(readmes)("match the imports in %s", (readme) => {
    const text = readFileSync(readme, "utf8");
    expect(text).toBe(freshReadme(readme));
    expect(text).toMatch(/^<!-- imports -->\n`src\/\w+` can import: .+\n<!-- end of imports -->$/m);
  });
});

describe("a README in src", () => {
  it("exists in every directory with more than ten files", () => {
    const directories = [...new Set(globSync("src/**/*.ts").map(dirname))];
    const large = directories.filter(
      (directory) => readdirSync(directory).filter((name) => name.endsWith(".ts")).length > 10,
    );
    expect(large.length).toBeGreaterThan(20);
    expect(large.filter((each) => !existsSync(join(each, "README.md")))).toEqual([]);
  });

  it.each(readmes)("is short and has the path of its directory as title: %s", (readme) => {
    const lines = readFileSync(readme, "utf8").split("\n");
    expect(lines[0]).toBe(`# ${dirname(readme)}`);
    expect(lines.filter((line) => !/^(?:<!-- .* -->)?$/.test(line)).length).toBeLessThan(15);
  });
});
