import type { Markdown, Page } from "../../../src/redaction/shown.ts";
import type { CommentInput } from "../../../src/report/comment/comment-input.ts";
import * as comment from "../../../src/report/comment/render-comment.ts";
import {
  type PageOptions,
  renderPage as renderReviewedPage,
} from "../../../src/report/page/render-page.ts";
import { buildReview } from "../../../src/report/review/build-review.ts";
import type { Review } from "../../../src/report/review/review.ts";

/**
 * Returns a review that was stored as JSON. This way, every test shows that the file loses nothing.
 */
export function storedReview(input: CommentInput): Review {
  const stored = reviews.get(input) ?? (JSON.parse(JSON.stringify(buildReview(input))) as Review);
  reviews.set(input, stored);
  return stored;
}

/** The reviews by input, because tests often render a comment and a summary of one preview. */
const reviews = new WeakMap<CommentInput, Review>();

export function renderComment(input: CommentInput, limit?: number): Markdown {
  return comment.renderComment(storedReview(input), limit);
}

export function renderSummary(input: CommentInput): Markdown {
  return comment.renderSummary(storedReview(input));
}

export function hasSomethingToSay(input: CommentInput): boolean {
  return comment.needsComment(storedReview(input));
}

export function renderPage(input: CommentInput, options: PageOptions): Page {
  return renderReviewedPage(storedReview(input), options);
}
