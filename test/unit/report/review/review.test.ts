import { readFileSync } from "node:fs";
import { Ajv2020 } from "ajv/dist/2020.js";
import { expect, test } from "vitest";
import * as comment from "../../../../src/report/comment/render-comment.ts";
import { renderPage } from "../../../../src/report/page/render-page.ts";
import { buildReview } from "../../../../src/report/review/build-review.ts";
import { readReview } from "../../../../src/report/review/read-review.ts";
import { commentCases, isLarge } from "../../../support/report/comment-cases.ts";
import { commentInput, shopReport } from "../../../support/shop/shop-report.ts";

const schema = JSON.parse(
  readFileSync(new URL("../../../../schema/review.schema.json", import.meta.url), "utf8"),
);
const isValid = new Ajv2020({ allErrors: true }).compile(schema);
const cases = commentCases
  .filter(({ name }) => !isLarge(name))
  .map(({ name, input }) => [name, buildReview(input)] as const);

test.each(cases)(
  "the review has the same reports after it was written to a file: %s",
  (_, review) => {
    const json = JSON.stringify(review);
    const read = readReview(json, "plan.json");
    if (!read.ok) throw new Error(read.problems.map(({ what }) => what).join());
    expect(read.value).toEqual(JSON.parse(json));
    for (const render of [comment.renderComment, comment.renderSummary, page]) {
      expect(render(read.value)).toBe(render(review));
    }
    isValid(JSON.parse(json));
    expect(isValid.errors ?? []).toEqual([]);
  },
);

function page(review: Parameters<typeof renderPage>[0]) {
  return renderPage(review, { hash: () => "" });
}

const shop = JSON.parse(JSON.stringify(buildReview(commentInput(shopReport()))));

/** Returns the JSON of a review with a changed text. */
const changed = (from: string, to: string) => JSON.stringify(shop).replace(from, to);

test.each([
  ["invalid JSON", "{", "It isn't JSON"],
  ["another type", "[]", "The value at version doesn't match"],
  ["another version", changed('"version":1', '"version":2'), "The value at version doesn't match"],
  ["no version", changed('"version":1,', ""), "The value at version doesn't match"],
  ["an unknown field", changed("{", '{"more":1,'), "The value at more doesn't match"],
  [
    "an unknown action",
    changed('"action":"rename"', '"action":"constructor"'),
    "rows.0.action doesn't match",
  ],
  ["an invalid commit", changed(shop.headCommit, "../x"), "The value at headCommit doesn't match"],
  ["a prototype", changed("{", '{"__proto__":{"x":1},'), "a field with the name __proto__"],
  ["a constructor", changed("{", '{"constructor":1,'), "a field with the name constructor"],
  ["depth", "[".repeat(50_000) + "]".repeat(50_000), "more than 16 levels"],
  ["a long text", changed('"name":"', `"name":"${"x".repeat(100_001)}`), "name doesn't match"],
  ["an infinite number", changed('"added":', '"added":1e9'), "added doesn't match"],
])("a file with %s is rejected", (_, json, why) => {
  const read = readReview(json, "plan.json");
  const [problem] = read.ok ? [] : read.problems;
  expect(problem?.what).toBe(`"plan.json" can't be read`);
  expect(problem?.why).toContain(why);
});
