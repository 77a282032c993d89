import { expect, it } from "vitest";
import { generatedPages, generators } from "../../scripts/docs/generate.ts";

const pages = generatedPages();

it.for(pages)("$path is as `npm run docs:generate` writes it", ({ written, fresh }) => {
  expect(written).toBe(fresh);
});

it("everything that can be generated is on a page", () => {
  expect(pages.flatMap(({ uses }) => uses).toSorted()).toEqual([...generators.keys()]);
});
