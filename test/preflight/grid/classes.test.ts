import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { byTurns, classes } from "./classes.ts";

const all = classes.flat();

it("each case has a name of its own", () => {
  expect(new Set(all.map(({ name }) => name)).size).toBe(all.length);
});

it.each(["README.md", "docs/concepts/how-qvs-works.md", "docs/concepts/previews.md"])(
  "%s says how many there are",
  (file) => {
    const text = readFileSync(new URL(`../../../${file}`, import.meta.url), "utf8");
    expect(text.replaceAll(/\s+/g, " ")).toMatch(
      new RegExp(`(foretold for|tries) ${all.length} (rollouts|of them|such rollouts)`),
    );
  },
);

it("of few cases there are some of each class", () => {
  const some = new Set(byTurns(classes, 2 * classes.length));
  const missing = classes.filter((each) => each.slice(0, 2).some((one) => !some.has(one)));
  expect(missing).toEqual([]);
  expect(some.size).toBeLessThanOrEqual(2 * classes.length);
});

it("all of them have their turn", () => {
  expect(new Set(byTurns(classes, all.length))).toEqual(new Set(all));
});
