import { expect, test } from "vitest";
import { viewKeyedComments } from "../../../../src/action/comments/own-comments.ts";
import { addOutcome, stickyComment } from "../../../../src/action/comments/sticky-comment.ts";
import type { PullRequest, PullRequestComment } from "../../../../src/ports/github.ts";
import { md } from "../../../../src/redaction/markdown.ts";
import { renderOutcomes } from "../../../../src/report/comment/outcome-comment.ts";
import { commentMarker } from "../../../../src/report/comment/render-comment.ts";
import { missingResult } from "../../../../src/report/result-file.ts";

/** Creates a conversation in memory with comments of qvs only. */
function conversation() {
  const comments: PullRequestComment[] = [];
  const put = (id: number, body: string) => {
    const comment = { id, body, author: "bot", url: `#${id}` };
    comments[id] = comment;
    return comment;
  };
  const pullRequest: PullRequest = {
    number: 7,
    author: async () => "bot",
    comments: async () => comments,
    createComment: async (body) => put(comments.length, body),
    updateComment: async (id, body) => put(id, body),
    deleteComment: async () => {},
  };
  return { pullRequest, bodies: () => comments.map(({ body }) => body.split("\n").slice(0, 2)) };
}

test("each key has one comment, and so does a missing key", async () => {
  const { pullRequest, bodies } = conversation();
  for (const text of ["first", "second"] as const)
    for (const key of [undefined, "services/shop", "a--> b"]) {
      const preview = md`${commentMarker}\n${text === "first" ? md`first` : md`second`}`;
      await stickyComment(viewKeyedComments(pullRequest, key), preview, { create: true });
    }
  expect(bodies()).toEqual([
    ["<!-- qvs-action:comment v1 -->", "second"],
    ["<!-- qvs-action:comment v1 services%2Fshop -->", "second"],
    ["<!-- qvs-action:comment v1 a%2D%2D%3E%20b -->", "second"],
  ]);
});

test("the outcome of a deployment is written to the comment with its key", async () => {
  const { pullRequest, bodies } = conversation();
  const shop = viewKeyedComments(pullRequest, "shop");
  await stickyComment(pullRequest, md`${commentMarker}\nother`, { create: true });
  await stickyComment(shop, md`${commentMarker}\nplan`, { create: true });
  const outcome = renderOutcomes([missingResult("shop").outcome], "c0ffee", undefined);
  await addOutcome(shop, outcome, { create: false });
  expect(bodies()).toEqual([
    ["<!-- qvs-action:comment v1 -->", "other"],
    ["<!-- qvs-action:comment v1 shop -->", "<!-- qvs-action:outcome -->"],
  ]);
});
