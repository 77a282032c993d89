import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { byTurns, classes } from "./classes.ts";

const all = classes.flat();

it("each case has a name of its own", () => {
  expect(new Set(all.map(({ name }) => name)).size).toBe(all.length);
});

it("docs/project/verification.md has the number of cases", () => {
  const page = new URL("../../../docs/project/verification.md", import.meta.url);
  const text = readFileSync(page, "utf8").replaceAll(/\s+/g, " ");
  expect(text).toContain(`qvs predicts for ${all.length} rollouts`);
});

it("a small selection contains cases of each class", () => {
  const some = new Set(byTurns(classes, 2 * classes.length));
  const missing = classes.filter((each) => each.slice(0, 2).some((one) => !some.has(one)));
  expect(missing).toEqual([]);
  expect(some.size).toBeLessThanOrEqual(2 * classes.length);
});

it("all cases are selected in turn", () => {
  expect(new Set(byTurns(classes, all.length))).toEqual(new Set(all));
});
