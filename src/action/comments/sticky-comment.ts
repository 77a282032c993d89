import { statusOf } from "../../io/github/refusal.ts";
import type { PullRequest, PullRequestComment } from "../../ports/github.ts";
import { ownMarkdown } from "../../redaction/own-markdown.ts";
import type { Markdown } from "../../redaction/shown.ts";
import { commentMarker } from "../../report/comment/comment.ts";
import { keepOutcome, withOutcome } from "../../report/comment/outcome-comment.ts";
import { commentsOfOurs, isSameText } from "./marked-text.ts";

export interface StickyOptions {
  /** false: only a comment that exists already is updated. */
  readonly create: boolean;
  /** The same comment in at most so many characters, if GitHub refuses it as too long. */
  readonly shorten?: (limit: number) => Markdown;
  /** Whether a comment with this text may be updated; where it is left out, every one of ours. */
  readonly mayReplace?: ((body: string) => boolean) | undefined;
}

/**
 * Keeps one comment of ours on a pull request: found by its marker and author, updated in place, and left alone if its
 * text is the same. What became of the pull request stays in it, since a preview may come after the merge. Returns its
 * address, or undefined when there is none.
 */
export async function stickyComment(
  pullRequest: PullRequest,
  preview: Markdown,
  options: StickyOptions,
): Promise<string | undefined> {
  const { create, shorten, mayReplace } = options;
  const say: Kept["say"] = (current, limit) => {
    const text = limit === undefined || shorten === undefined ? preview : shorten(limit);
    return current === undefined ? text : keepOutcome(current, text);
  };
  const canShorten = shorten !== undefined;
  return keepComment(pullRequest, { say, canShorten, create, createAgain: create, mayReplace });
}

/** Puts what became of a merged pull request above what its preview wrote. */
export async function addOutcome(
  pullRequest: PullRequest,
  outcome: Markdown,
  { create }: Pick<StickyOptions, "create">,
): Promise<string | undefined> {
  const say = (current = commentMarker) => withOutcome(current, outcome);
  return keepComment(pullRequest, { say, canShorten: false, create, createAgain: true });
}

interface Kept {
  /** What the comment shall say, by what it says, and in how many characters. */
  readonly say: (current: Markdown | undefined, limit?: number) => Markdown;
  readonly canShorten: boolean;
  readonly create: boolean;
  /** Whether one that somebody deletes meanwhile is created again. */
  readonly createAgain: boolean;
  readonly mayReplace?: StickyOptions["mayReplace"];
}

async function keepComment(pullRequest: PullRequest, kept: Kept): Promise<string | undefined> {
  const [oldest, ...duplicates] = await ownComments(pullRequest);
  for (const duplicate of duplicates) await remove(pullRequest, duplicate);
  if (oldest !== undefined && kept.mayReplace?.(oldest.body) === false) return oldest.url;
  if (oldest !== undefined) return (await update(pullRequest, oldest, kept))?.url;
  return kept.create ? (await create(pullRequest, kept)).url : undefined;
}

/** Oldest first. */
async function ownComments(pullRequest: PullRequest): Promise<readonly PullRequestComment[]> {
  return (await commentsOfOurs(pullRequest)).toSorted((a, b) => a.id - b.id);
}

/** undefined when somebody has deleted it meanwhile, and it is not to be created again. */
async function update(
  pullRequest: PullRequest,
  comment: PullRequestComment,
  kept: Kept,
): Promise<PullRequestComment | undefined> {
  const current = ownMarkdown(comment.body);
  if (isSameText(comment.body, kept.say(current))) return comment;
  try {
    return await fitting(current, kept, (text) => pullRequest.updateComment(comment.id, text));
  } catch (error) {
    if (!isNotFound(error)) throw error;
    return kept.createAgain ? fitting(current, kept, pullRequest.createComment) : undefined;
  }
}

/**
 * Two runs that start together both find no comment and both create one. Each lists the comments again afterwards. The
 * one that came second deletes its own comment and updates the other one.
 */
async function create(pullRequest: PullRequest, kept: Kept): Promise<PullRequestComment> {
  const created = await fitting(undefined, kept, pullRequest.createComment);
  const [oldest] = await ownComments(pullRequest);
  if (oldest === undefined || oldest.id >= created.id) return created;
  await remove(pullRequest, created);
  return (await update(pullRequest, oldest, { ...kept, createAgain: true })) ?? created;
}

/** Somebody may have done so already. */
async function remove(pullRequest: PullRequest, { id }: PullRequestComment): Promise<void> {
  try {
    await pullRequest.deleteComment(id);
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}

/** GitHub counts characters in its own way; when it refuses a body for its length, half of it is tried once. */
async function fitting<T>(
  current: Markdown | undefined,
  { say, canShorten }: Kept,
  write: (body: Markdown) => Promise<T>,
): Promise<T> {
  const body = say(current);
  try {
    return await write(body);
  } catch (error) {
    if (!canShorten || !isTooLong(error)) throw error;
    return write(say(current, Math.floor(body.length / 2)));
  }
}

function isTooLong(error: unknown): boolean {
  return statusOf(error) === 422 && error instanceof Error && /too long/i.test(error.message);
}

function isNotFound(error: unknown): boolean {
  return statusOf(error) === 404;
}
