import type { PullRequest } from "../../ports/github.ts";
import { encodeHtmlComment, md, splitLines } from "../../redaction/markdown.ts";
import { joined, type Markdown } from "../../redaction/shown.ts";
import { commentMarker } from "../../report/comment/render-comment.ts";

/**
 * Returns a view of the pull request with the comments of one `comment-key` only.
 * In this view the comments start with the common marker; on GitHub the marker contains the key.
 * Without a key the pull request is returned unchanged, which keeps the comments of earlier
 * versions.
 */
export function viewKeyedComments(pullRequest: PullRequest, key: string | undefined): PullRequest {
  if (key === undefined) return pullRequest;
  const marker = keyedMarker(key);
  const keyed = (body: Markdown): Markdown => {
    const [first, ...rest] = splitLines(body);
    return first === commentMarker ? joined([marker, ...rest], "\n") : body;
  };
  const shown = (body: string): string | undefined => {
    const [first, ...rest] = body.split(/\r?\n/);
    if (first === commentMarker) return undefined;
    return first === marker ? [commentMarker, ...rest].join("\n") : body;
  };
  return {
    ...pullRequest,
    comments: async () =>
      (await pullRequest.comments()).flatMap((comment) => {
        const body = shown(comment.body);
        return body === undefined ? [] : [{ ...comment, body }];
      }),
    createComment: (body) => pullRequest.createComment(keyed(body)),
    updateComment: (id, body) => pullRequest.updateComment(id, keyed(body)),
  };
}

/** Returns the first line of the comments with a key. */
export function keyedMarker(key: string | undefined): Markdown {
  return key === undefined
    ? commentMarker
    : md`<!-- qvs-action:comment v1 ${encodeHtmlComment(key)} -->`;
}
