import type { Markdown, Page } from "../../src/redaction/shown.ts";
import * as comment from "../../src/report/comment/comment.ts";
import type { CommentInput } from "../../src/report/comment/comment-input.ts";
import { type PageOptions, renderPage as renderReviewedPage } from "../../src/report/page/page.ts";
import type { Review } from "../../src/report/review/review.ts";
import { reviewOf } from "../../src/report/review/review-of.ts";

/**
 * Returns a review that was stored as JSON. This way, every test shows that the file loses nothing.
 */
export function storedReview(input: CommentInput): Review {
  const stored = reviews.get(input) ?? (JSON.parse(JSON.stringify(reviewOf(input))) as Review);
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
  return comment.hasSomethingToSay(storedReview(input));
}

export function renderPage(input: CommentInput, options: PageOptions): Page {
  return renderReviewedPage(storedReview(input), options);
}
