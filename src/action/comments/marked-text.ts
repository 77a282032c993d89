import type { PullRequest, PullRequestComment } from "../../ports/github.ts";
import { commentMarker } from "../../report/comment/comment.ts";

/** What tells our comments and issues from those of others, and what they say. */
interface Written {
  readonly author: string;
  readonly body: string;
}

export async function commentsOfOurs(
  pullRequest: PullRequest,
): Promise<readonly PullRequestComment[]> {
  const [author, comments] = await Promise.all([pullRequest.author(), pullRequest.comments()]);
  return comments.filter((comment) => isOurs(comment, author, commentMarker));
}

/** By author too: anybody can write our marker into a text. */
export function isOurs({ author, body }: Written, ourLogin: string, marker: string): boolean {
  return author === ourLogin && begins(body, marker);
}

/** Whether the first line of a text is that marker. */
export function begins(text: string, marker: string): boolean {
  return text.split(/\r?\n/, 1)[0] === marker;
}

/** GitHub stores texts with CRLF line ends in some cases and without the last line end. */
export function isSameText(one: string, other: string): boolean {
  return normalised(one) === normalised(other);
}

function normalised(text: string): string {
  return text.replaceAll("\r\n", "\n").trimEnd();
}
