import { userError } from "../../model/problems/errors.ts";
import type { PullRequest, PullRequestComment } from "../../ports/github.ts";
import type { GitHubClient, RepositoryName } from "./client.ts";

/** What the workflow's own token writes as; other tokens are asked for their login. */
const actionsLogin = "github-actions[bot]";

/** The conversations of a repository's pull requests, by number. Who writes in them is asked once. */
export function pullRequestsOf(
  client: GitHubClient,
  repository: RepositoryName,
): (number: number) => PullRequest {
  let login: Promise<string> | undefined;
  const author = () => {
    login ??= loginOf(client);
    return login;
  };
  return (number) => openPullRequest(client, repository, number, author);
}

/** The conversation of one pull request, through GitHub's API for issues. */
export function openPullRequest(
  client: GitHubClient,
  repository: RepositoryName,
  number: number,
  author = () => loginOf(client),
): PullRequest {
  const issue = { ...repository, issue_number: number };
  const { issues } = client.rest;
  let login: Promise<string> | undefined;
  return {
    number,
    author() {
      login ??= author();
      return login;
    },
    async comments() {
      const all = await client.paginate(issues.listComments, { ...issue, per_page: 100 }, atMost());
      return all.map(toComment);
    },
    async createComment(body) {
      const created = toComment((await issues.createComment({ ...issue, body })).data);
      // Whoever GitHub could not name before: comments that this account has written already can be found now.
      login = Promise.resolve(created.author);
      return created;
    },
    async updateComment(id, body) {
      return toComment((await issues.updateComment({ ...repository, comment_id: id, body })).data);
    },
    async deleteComment(id) {
      await issues.deleteComment({ ...repository, comment_id: id });
    },
  };
}

/** The pull requests that brought a commit to their branch; none for one that was pushed directly. */
export async function findMergedPullRequests(
  client: GitHubClient,
  repository: RepositoryName,
  commit: string,
): Promise<readonly number[]> {
  const asked = { ...repository, commit_sha: commit, per_page: 100 };
  const found = await client.paginate(
    client.rest.repos.listPullRequestsAssociatedWithCommit,
    asked,
    atMost(),
  );
  return found.filter((pull) => pull.merged_at !== null).map(({ number }) => number);
}

/** The newest commits of a push, newest first, by what GitHub knows of it: for clones that do not have the commit before it. */
export async function commitsOfPush(
  client: GitHubClient,
  repository: RepositoryName,
  before: string,
  after: string,
): Promise<readonly string[]> {
  const basehead = `${before}...${after}`;
  const compared = { ...repository, basehead, per_page: 100 };
  const { data } = await client.rest.repos.compareCommitsWithBasehead(compared);
  return data.commits.map(({ sha }) => sha).toReversed();
}

/**
 * `GET /user` is forbidden to the tokens of apps, the workflow's own among them; GraphQL's `viewer` names all three kinds of
 * token. Where even that is refused, the token is most likely the workflow's.
 */
export async function loginOf(client: GitHubClient): Promise<string> {
  try {
    const { viewer } = await client.graphql<{ viewer: { login: string } }>("{ viewer { login } }");
    return viewer.login;
  } catch {
    return actionsLogin;
  }
}

/** GitHub lets a conversation have 2,500 comments; what goes on for longer than this has no end. */
const mostPages = 100;

/** Hands on what a page holds. */
function atMost<T>(): (page: { readonly data: T }) => T {
  let pages = 0;
  return ({ data }) => {
    pages += 1;
    if (pages > mostPages) {
      throw userError(
        "github-api-error",
        `GitHub's API answered with more than ${mostPages} pages`,
        "Check what GITHUB_API_URL leads to",
      );
    }
    return data;
  };
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
