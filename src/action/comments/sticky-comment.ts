import { responseStatus } from "../../io/github/explain-refusal.ts";
import { isSameText } from "../../io/github/stored-text.ts";
import type { PullRequest, PullRequestComment } from "../../ports/github.ts";
import { ownMarkdown } from "../../redaction/markdown.ts";
import type { Markdown } from "../../redaction/shown.ts";
import { keepOutcome, withOutcome } from "../../report/comment/outcome-comment.ts";
import { commentMarker } from "../../report/comment/render-comment.ts";
import { listOwnComments } from "./own-comments.ts";

export interface StickyOptions {
  /** True to create the comment if none exists; false to only update an existing comment. */
  readonly create: boolean;
  /**
   * Renders the same comment within a number of characters, for when GitHub rejects it as too long.
   */
  readonly shorten?: (limit: number) => Markdown;
  /** Reports whether a comment with this text can be updated. Without it, every qvs comment can. */
  readonly mayReplace?: ((body: string) => boolean) | undefined;
}

/**
 * Keeps one qvs comment on a pull request, found by its marker and author.
 * Updates it in place, or not at all if the text is the same. Keeps the deployment outcome that it
 * contains, because a preview can finish after the merge. Returns the comment's address, or
 * undefined if no comment exists.
 */
export async function stickyComment(
  pullRequest: PullRequest,
  preview: Markdown,
  options: StickyOptions,
): Promise<string | undefined> {
  const { create, shorten, mayReplace } = options;
  const renderText: CommentUpdate["renderText"] = (current, limit) => {
    const text = limit === undefined || shorten === undefined ? preview : shorten(limit);
    return current === undefined ? text : keepOutcome(current, text);
  };
  const canShorten = shorten !== undefined;
  return applyUpdate(pullRequest, {
    renderText,
    canShorten,
    create,
    createAgain: create,
    mayReplace,
  });
}

/** Adds the outcome of a merged pull request above the preview in its comment. */
export async function addOutcome(
  pullRequest: PullRequest,
  outcome: Markdown,
  { create }: Pick<StickyOptions, "create">,
): Promise<string | undefined> {
  const renderText = (current = commentMarker) => withOutcome(current, outcome);
  return applyUpdate(pullRequest, { renderText, canShorten: false, create, createAgain: true });
}

interface CommentUpdate {
  /** Renders the new text from the current text, within `limit` characters. */
  readonly renderText: (current: Markdown | undefined, limit?: number) => Markdown;
  readonly canShorten: boolean;
  readonly create: boolean;
  /** True to create the comment again if a user deletes it during the update. */
  readonly createAgain: boolean;
  readonly mayReplace?: StickyOptions["mayReplace"];
}

async function applyUpdate(
  pullRequest: PullRequest,
  kept: CommentUpdate,
): Promise<string | undefined> {
  const [oldest, ...duplicates] = await ownComments(pullRequest);
  for (const duplicate of duplicates) await remove(pullRequest, duplicate);
  if (oldest !== undefined && kept.mayReplace?.(oldest.body) === false) return oldest.url;
  if (oldest !== undefined) return (await update(pullRequest, oldest, kept))?.url;
  return kept.create ? (await create(pullRequest, kept)).url : undefined;
}

/** Returns the qvs comments on the pull request, oldest first. */
async function ownComments(pullRequest: PullRequest): Promise<readonly PullRequestComment[]> {
  return (await listOwnComments(pullRequest)).toSorted((a, b) => a.id - b.id);
}

/** Updates a comment. Returns undefined if a user deleted it and `createAgain` is false. */
async function update(
  pullRequest: PullRequest,
  comment: PullRequestComment,
  kept: CommentUpdate,
): Promise<PullRequestComment | undefined> {
  const current = ownMarkdown(comment.body);
  if (isSameText(comment.body, kept.renderText(current))) return comment;
  try {
    return await fitting(current, kept, (text) => pullRequest.updateComment(comment.id, text));
  } catch (error) {
    if (!isNotFound(error)) throw error;
    return kept.createAgain ? fitting(current, kept, pullRequest.createComment) : undefined;
  }
}

/**
 * Creates the comment.
 * Two runs that start together can both find no comment and create one each. Each lists the
 * comments again afterwards. The run with the newer comment deletes it and updates the older one.
 */
async function create(pullRequest: PullRequest, kept: CommentUpdate): Promise<PullRequestComment> {
  const created = await fitting(undefined, kept, pullRequest.createComment);
  const [oldest] = await ownComments(pullRequest);
  if (oldest === undefined || oldest.id >= created.id) return created;
  await remove(pullRequest, created);
  return (await update(pullRequest, oldest, { ...kept, createAgain: true })) ?? created;
}

/** Deletes a comment. It can be deleted already. */
async function remove(pullRequest: PullRequest, { id }: PullRequestComment): Promise<void> {
  try {
    await pullRequest.deleteComment(id);
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}

/**
 * Writes the comment, and retries once with half the length if GitHub rejects it as too long.
 * GitHub counts characters differently.
 */
async function fitting<T>(
  current: Markdown | undefined,
  { renderText: say, canShorten }: CommentUpdate,
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
  return responseStatus(error) === 422 && error instanceof Error && /too long/i.test(error.message);
}

function isNotFound(error: unknown): boolean {
  return responseStatus(error) === 404;
}
