import type { World } from "./world.ts";

export interface PullRequestCommits {
  /** Tip of the target branch when the event happened; that branch may have gone on since. */
  readonly base: string;
  /** Tip of the pull request's branch. */
  readonly headSha: string;
}

/**
 * The commit that what is checked out differs from by this pull request alone: the other parent of GitHub's test merge, or
 * where a checked out branch left the target branch. A clone too shallow to tell has only the tip.
 */
export async function pullRequestBase(
  { repository }: World,
  { base, headSha }: PullRequestCommits,
): Promise<string> {
  const merged = await repository?.resolve("HEAD^2");
  const other = merged === headSha ? await repository?.resolve("HEAD^1") : undefined;
  return other ?? (await repository?.mergeBase(base, "HEAD")) ?? base;
}
