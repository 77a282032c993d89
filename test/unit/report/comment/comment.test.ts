import { readdirSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { commentCases, isLarge, same, untouched } from "../../../support/report/comment-cases.ts";
import { hasSomethingToSay, renderComment } from "../../../support/report/rendered.ts";
import { commentInput, shopReport } from "../../../support/shop/shop-report.ts";

describe("the comment of", () => {
  for (const { name, input } of commentCases.filter(({ name }) => !isLarge(name))) {
    test(name, async () => {
      await expect(renderComment(input)).toMatchFileSnapshot(
        `golden/${name.replaceAll(/[ ,]+/g, "-")}.md`,
      );
    });
  }
});

test("each golden file belongs to a case", () => {
  const files = readdirSync(new URL("golden", import.meta.url)).filter((file) =>
    file.endsWith(".md"),
  );
  const names = commentCases.map(({ name }) => `${name.replaceAll(/[ ,]+/g, "-")}.md`);
  expect(files.toSorted()).toEqual(names.toSorted());
});

test("a pull request without changes needs no comment", () => {
  expect(
    hasSomethingToSay(commentInput(shopReport({ base: same, head: same, plan: untouched }))),
  ).toBe(false);
  expect(hasSomethingToSay(commentInput(shopReport()))).toBe(true);
});

test("the comment of a repository without commits names none", () => {
  const body = renderComment({ ...commentInput(shopReport()), headCommit: "" });
  expect(body).not.toMatch(/Commit|\(empty\)/);
  expect(body).toContain("<sub>plan `9f2c4e6a8b0d`");
});
