import type { PullRequest, PullRequestComment } from "../../ports/github.ts";
import { encodeHtmlComment, md, splitLines } from "../../redaction/markdown.ts";
import { joined, type Markdown } from "../../redaction/shown.ts";
import { commentMarker } from "../../report/comment/render-comment.ts";

/** The author and the text of a comment or an issue, which identify it as qvs's. */
interface AuthoredText {
  readonly author: string;
  readonly body: string;
}

export async function listOwnComments(
  pullRequest: PullRequest,
): Promise<readonly PullRequestComment[]> {
  const [author, comments] = await Promise.all([pullRequest.author(), pullRequest.comments()]);
  return comments.filter((comment) => isOwnText(comment, author, commentMarker));
}

/** Reports whether qvs wrote a text. It checks the author too: any user can copy the marker. */
export function isOwnText(
  { author, body }: AuthoredText,
  ourLogin: string,
  marker: string,
): boolean {
  return author === ourLogin && startsWithMarker(body, marker);
}

/** Reports whether the marker is the first line of a text. */
export function startsWithMarker(text: string, marker: string): boolean {
  return text.split(/\r?\n/, 1)[0] === marker;
}

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
