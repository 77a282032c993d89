import type { PullRequest, PullRequestComment } from "../ports.ts";
import { commentMarker } from "../report/comment.ts";

export interface StickyOptions {
  /** false: only a comment that is there already is kept current. */
  readonly create: boolean;
  /** The same comment in at most so many characters, should GitHub find it too long after all. */
  readonly shorten?: (limit: number) => string;
}

/**
 * Keeps one comment of ours on a pull request: found by its marker and author, changed in place, and not touched when it says
 * the same already. Returns its address, or undefined when there is none.
 */
export async function stickyComment(
  pullRequest: PullRequest,
  body: string,
  options: StickyOptions,
): Promise<string | undefined> {
  const [oldest, ...duplicates] = await ownComments(pullRequest);
  for (const duplicate of duplicates) await pullRequest.deleteComment(duplicate.id);
  if (oldest !== undefined) return (await update(pullRequest, oldest, body, options)).url;
  return options.create ? (await create(pullRequest, body, options)).url : undefined;
}

/** Our comment, as far as there is one: the deployment of a merged pull request adds to what the preview wrote. */
export async function findStickyComment(
  pullRequest: PullRequest,
): Promise<PullRequestComment | undefined> {
  return (await ownComments(pullRequest))[0];
}

/** Oldest first. By author too: anybody can write our marker into a comment. */
async function ownComments(pullRequest: PullRequest): Promise<readonly PullRequestComment[]> {
  const [author, comments] = await Promise.all([pullRequest.author(), pullRequest.comments()]);
  return comments
    .filter(
      (comment) => comment.author === author && comment.body.split(/\r?\n/, 1)[0] === commentMarker,
    )
    .toSorted((a, b) => a.id - b.id);
}

async function update(
  pullRequest: PullRequest,
  comment: PullRequestComment,
  body: string,
  options: StickyOptions,
): Promise<PullRequestComment> {
  if (normalised(comment.body) === normalised(body)) return comment;
  return fitting(body, options, (text) => pullRequest.updateComment(comment.id, text));
}

/**
 * Two runs that start together both find no comment and both create one. Each looks again afterwards, and the one that came
 * second takes its own back and says what it has to say in the other.
 */
async function create(
  pullRequest: PullRequest,
  body: string,
  options: StickyOptions,
): Promise<PullRequestComment> {
  const created = await fitting(body, options, (text) => pullRequest.createComment(text));
  const [oldest] = await ownComments(pullRequest);
  if (oldest === undefined || oldest.id >= created.id) return created;
  await pullRequest.deleteComment(created.id);
  return update(pullRequest, oldest, body, options);
}

/** GitHub counts characters in its own way; when it refuses a body for its length, half of it is tried once. */
async function fitting<T>(
  body: string,
  { shorten }: StickyOptions,
  write: (body: string) => Promise<T>,
): Promise<T> {
  try {
    return await write(body);
  } catch (error) {
    if (shorten === undefined || !isTooLong(error)) throw error;
    return write(shorten(Math.floor(body.length / 2)));
  }
}

function isTooLong(error: unknown): boolean {
  return (
    error instanceof Error &&
    "status" in error &&
    error.status === 422 &&
    /too long/i.test(error.message)
  );
}

/** GitHub stores comments with CRLF line ends in some cases and without the last line end. */
function normalised(body: string): string {
  return body.replaceAll("\r\n", "\n").trimEnd();
}
