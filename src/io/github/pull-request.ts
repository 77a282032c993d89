import type { PullRequest, PullRequestComment } from "../../ports.ts";
import type { GitHubClient, RepositoryName } from "./client.ts";

/** What the workflow's own token writes as; other tokens are asked for their login. */
const actionsLogin = "github-actions[bot]";

/** The conversation of one pull request, through GitHub's API for issues. */
export function openPullRequest(
  client: GitHubClient,
  repository: RepositoryName,
  number: number,
): PullRequest {
  const issue = { ...repository, issue_number: number };
  const { issues } = client.rest;
  return {
    number,
    author: () => loginOf(client),
    async comments() {
      const all = await client.paginate(issues.listComments, { ...issue, per_page: 100 });
      return all.map(toComment);
    },
    async createComment(body) {
      return toComment((await issues.createComment({ ...issue, body })).data);
    },
    async updateComment(id, body) {
      return toComment((await issues.updateComment({ ...repository, comment_id: id, body })).data);
    },
    async deleteComment(id) {
      await issues.deleteComment({ ...repository, comment_id: id });
    },
  };
}

/** The pull request that brought a commit to its branch; undefined for a commit pushed directly. */
export async function findMergedPullRequest(
  client: GitHubClient,
  repository: RepositoryName,
  commit: string,
): Promise<number | undefined> {
  const found = await client.paginate(client.rest.repos.listPullRequestsAssociatedWithCommit, {
    ...repository,
    commit_sha: commit,
    per_page: 100,
  });
  const merged = found.filter((pull) => pull.merged_at !== null);
  const exact = merged.find((pull) => pull.merge_commit_sha === commit);
  return (exact ?? merged[0])?.number;
}

/**
 * `GET /user` is forbidden to the tokens of apps, the workflow's own among them; GraphQL's `viewer` names all three kinds of
 * token. Where even that is refused, the token is most likely the workflow's.
 */
async function loginOf(client: GitHubClient): Promise<string> {
  try {
    const { viewer } = await client.graphql<{ viewer: { login: string } }>("{ viewer { login } }");
    return viewer.login;
  } catch {
    return actionsLogin;
  }
}

interface ApiComment {
  readonly id: number;
  readonly body?: string;
  readonly html_url: string;
  readonly user: { readonly login: string } | null;
}

/** The author is null when the account has been deleted. */
function toComment({ id, body = "", html_url, user }: ApiComment): PullRequestComment {
  return { id, body, author: user?.login ?? "", url: html_url };
}
