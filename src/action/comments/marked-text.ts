import type { PullRequest, PullRequestComment } from "../../ports/github.ts";
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
 * Reports whether two texts are the same, except for line endings and whitespace at the end. GitHub
 * sometimes stores CRLF line endings and drops the last one.
 */
export function isSameText(one: string, other: string): boolean {
  return normalized(one) === normalized(other);
}

function normalized(text: string): string {
  return text.replaceAll("\r\n", "\n").trimEnd();
}
