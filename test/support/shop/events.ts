/** The repository in the events of the shop. */
export const repository = {
  full_name: "acme/shop",
  name: "shop",
  owner: { login: "acme" },
  default_branch: "main",
};

/** Returns the payload of a push to main. */
export function pushEvent(before: string, after: string): object {
  return { before, after, ref: "refs/heads/main", repository };
}

interface PullRequestCommits {
  /** The number of the pull request. */
  readonly number: number;
  /** The full name of the repository that has the head commit. Default: the shop. */
  readonly from?: string | undefined;
  readonly base: string;
  readonly head: string;
}

/** Returns the payload of a push to the branch of a pull request into main. */
export function pullRequestEvent(commits: PullRequestCommits): object {
  const { number, from = repository.full_name } = commits;
  const base = { repo: repository, ref: "main", sha: commits.base };
  const head = { repo: { ...repository, full_name: from }, ref: "feature", sha: commits.head };
  return { action: "synchronize", number, pull_request: { number, base, head }, repository };
}
