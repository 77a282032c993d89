import type { Deployment } from "../../model/deployments/deployment.ts";
import type { AnnotatedProblem, Position } from "../../model/problems/problem.ts";
import type { LineRange } from "../../ports/git.ts";
import type { ConfigSource, World } from "../../ports/world.ts";
import { openCommitSource } from "../../sources/commit-source.ts";
import { listDeployments } from "../../sources/list-deployments.ts";

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

/** Returns the lines of a file that the pull request's files view shows. */
export type LinesShown = (path: string) => Promise<readonly LineRange[]>;

/**
 * Moves the places that the pull request shows to the front of each problem.
 * GitHub shows an annotation next to a visible line, and any other annotation where few people
 * look. A problem without a visible place stays unchanged.
 */
export async function sortVisiblePlacesFirst<T extends AnnotatedProblem>(
  problems: readonly T[],
  linesShown: LinesShown,
): Promise<readonly T[]> {
  const open = problems.filter(({ where }) => where.length > 1);
  const paths = [...new Set(open.flatMap(({ where }) => where.map(({ file }) => file)))];
  const checked = paths.slice(0, maxPaths);
  const shown = new Map(
    await Promise.all(checked.map(async (path) => [path, await linesShown(path)] as const)),
  );
  const isShown = ({ file, line }: Position) =>
    (shown.get(file) ?? []).some(({ first, last }) => first <= line && line <= last);
  return problems.map((problem) => ({
    ...problem,
    where: problem.where.toSorted((a, b) => Number(isShown(b)) - Number(isShown(a))),
  }));
}

/** The most files to look up. Each needs a call of git, and GitHub shows only ten annotations. */
const maxPaths = 50;
