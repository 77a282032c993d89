import type { PullRequest } from "../../ports/github.ts";
import { hasSomethingToSay, isOfArtifact, renderComment } from "../../report/comment/comment.ts";
import type { Review } from "../../report/review/review.ts";
import { stickyComment } from "./sticky-comment.ts";

/** Keeps the pull request's one comment current; its address, or undefined when there is nothing to say and none yet. */
export async function commentOn(
  pullRequest: PullRequest,
  review: Review,
  when: "always" | "changes",
): Promise<string | undefined> {
  return stickyComment(pullRequest, renderComment(review), {
    create: when === "always" || hasSomethingToSay(review),
    shorten: (limit) => renderComment(review, limit),
    // What a run of this repository has written itself is worth more than what it has left.
    mayReplace: review.artifactOf?.isFork === false ? isOfArtifact : undefined,
  });
}
