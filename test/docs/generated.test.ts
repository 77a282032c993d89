import { expect, it } from "vitest";
import { generatedPages, generators } from "../../scripts/docs/generate.ts";

const pages = generatedPages();

it.for(pages)("$path is up to date with `npm run docs:generate`", ({ written, fresh }) => {
  expect(written).toBe(fresh);
});

it("every generated part is on a page", () => {
  expect(pages.flatMap(({ uses }) => uses).toSorted()).toEqual([...generators.keys()]);
});

it.for([...generators])("the part %s has content", ([, generate]) => {
  expect(generate().trim()).not.toBe("");
});
