import { marked } from "marked";
import { describe, expect, test } from "vitest";
import { renderComment, renderSummary } from "../support/rendered.ts";
import { commentCases, isLarge } from "./comment-cases.ts";

/** What takes seconds: thousands of objects, and every comment in every size. */
describe("the comment of", () => {
  for (const { name, input } of commentCases.filter((each) => isLarge(each.name))) {
    test(name, async () => {
      await expect(renderComment(input)).toMatchFileSnapshot(
        `golden/${name.replaceAll(/[ ,]+/g, "-")}.md`,
      );
    });
  }
});

describe("whatever room there is,", () => {
  test.each(commentCases.map(({ name, input }) => [name, input] as const))(
    "the comment of %s fits, and swallows nothing of what follows a cut",
    (_, input) => {
      // To render thousands of objects takes a second each time.
      const objects = Math.max(...input.deployments.map(({ plan }) => plan?.changes.length ?? 0));
      for (const limit of objects > 1000 ? [65_000] : [65_000, 9_000, 2_500, 1_200]) {
        const body = renderComment(input, limit);
        expect(body.length).toBeLessThanOrEqual(limit);
        const html = marked.parse(body, { async: false });
        expect(html.match(/<details/g)?.length).toBe(html.match(/<\/details>/g)?.length);
        const outside = html.replaceAll(/<(pre|blockquote)>[\s\S]*?<\/\1>/g, "");
        expect(outside).toMatch(/more lines are in the run|<sub>Commit /);
      }
      expect(Buffer.byteLength(renderSummary(input))).toBeLessThanOrEqual(990_000);
    },
  );
});
