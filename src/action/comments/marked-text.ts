import type { PullRequest, PullRequestComment } from "../../ports/github.ts";
import { commentMarker } from "../../report/comment/comment.ts";

/** The author and the text of a comment or an issue, which identify it as qvs's. */
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

/** Reports whether qvs wrote a text. It checks the author too: any user can copy the marker. */
export function isOurs({ author, body }: Written, ourLogin: string, marker: string): boolean {
  return author === ourLogin && begins(body, marker);
}

/** Reports whether the marker is the first line of a text. */
export function begins(text: string, marker: string): boolean {
  return text.split(/\r?\n/, 1)[0] === marker;
}

/**
 * Reports whether two texts are the same, except for line endings and whitespace at the end. GitHub
 * sometimes stores CRLF line endings and drops the last one.
 */
export function isSameText(one: string, other: string): boolean {
  return normalised(one) === normalised(other);
}

function normalised(text: string): string {
  return text.replaceAll("\r\n", "\n").trimEnd();
}
