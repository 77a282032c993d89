import type { Deployment } from "../../model/deployment.ts";
import type { ConfigSource, World } from "../../ports/world.ts";
import { openCommitSource } from "../../sources/commit-source.ts";
import { listDeployments } from "../../sources/list-deployments.ts";
import type { LinesShown } from "./places-in-diff.ts";

export interface PullRequestCommits {
  /** The tip of the target branch at the time of the event. */
  readonly base: string;
  /** The tip of the pull request's branch. */
  readonly headSha: string;
}

/** The commit that the pull request is compared with. */
export interface Base {
  readonly commit: string;
  readonly source: ConfigSource;
  readonly deployments: readonly Deployment[];
}

/**
 * Reads the base commit. A list that is invalid there counts as empty, because the pull request
 * might fix it.
 */
export async function openBase(
  world: World,
  options: PullRequestCommits & { readonly adjusted: (deployment: Deployment) => Deployment },
): Promise<Base> {
  const commit = await pullRequestBase(world, options);
  const source = await openCommitSource(world, commit);
  const listed = await listDeployments(source.tree, world.repositoryName, world.folder);
  return { commit, source, deployments: (listed.ok ? listed.value : []).map(options.adjusted) };
}

/**
 * Returns the commit that differs from the checkout only by this pull request.
 * That is the other parent of GitHub's test merge, or the merge base of a checked-out branch and
 * the target branch. A shallow clone without that commit has only the tip.
 */
async function pullRequestBase(
  { repository }: Pick<World, "repository">,
  { base, headSha }: PullRequestCommits,
): Promise<string> {
  const merged = await repository?.resolve("HEAD^2");
  const other = merged === headSha ? await repository?.resolve("HEAD^1") : undefined;
  return other ?? (await repository?.mergeBase(base, "HEAD")) ?? base;
}

/**
 * Returns a function for the lines of a file that the pull request shows; none if the clone doesn't
 * contain its base.
 */
export function linesInPullRequest(world: World, commits: PullRequestCommits): LinesShown {
  let base: Promise<string> | undefined;
  return async (path) => {
    const head = await world.repository?.resolve("HEAD");
    if (world.repository === undefined || head === undefined) return [];
    base ??= pullRequestBase(world, commits);
    return world.repository.linesShown(await base, head, path);
  };
}
