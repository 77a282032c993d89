import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { freshArchitecture, freshBiome } from "../scripts/layers.ts";

describe("the rules that follow from layers.json", () => {
  it("are the overrides of biome.json", () => {
    expect(JSON.parse(readFileSync("biome.json", "utf8"))).toEqual(freshBiome());
  });

  it("are the table of ARCHITECTURE.md", () => {
    expect(readFileSync("ARCHITECTURE.md", "utf8")).toBe(freshArchitecture());
  });
});
