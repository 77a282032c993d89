import type { PullRequest } from "../../ports/github.ts";
import {
  isArtifactComment,
  needsComment,
  renderComment,
} from "../../report/comment/render-comment.ts";
import type { Review } from "../../report/review/review.ts";
import { stickyComment } from "./sticky-comment.ts";

/**
 * Updates the pull request's one comment and returns its address. Returns undefined if no comment
 * exists and the review has nothing to report.
 */
export async function syncComment(
  pullRequest: PullRequest,
  review: Review,
  when: "always" | "changes",
): Promise<string | undefined> {
  return stickyComment(pullRequest, renderComment(review), {
    create: when === "always" || needsComment(review),
    shorten: (limit) => renderComment(review, limit),
    // A comment that a run of this repository wrote itself isn't replaced by one from artifacts.
    mayReplace: review.artifactOf?.isFork === false ? isArtifactComment : undefined,
  });
}
