import { userError } from "../../model/problems/errors.ts";
import type { PullRequest, PullRequestComment } from "../../ports/github.ts";
import { checkApiUrl } from "./bounded-fetch.ts";
import type { GitHubClient, RepositoryName } from "./client.ts";
import { createsOnce } from "./find-before-retry.ts";
import { isSameText } from "./stored-text.ts";

/** The login of the workflow's own token. GitHub reports the logins of other tokens. */
const actionsLogin = "github-actions[bot]";

/**
 * Returns the conversations of a repository's pull requests, by number. It asks for their author
 * only once.
 */
export function createPullRequestOpener(
  client: GitHubClient,
  repository: RepositoryName,
): (number: number) => PullRequest {
  let login: Promise<string> | undefined;
  const author = () => {
    login ??= readLogin(client);
    return login;
  };
  return (number) => openPullRequest(client, repository, number, { author });
}

interface ConversationOptions {
  readonly author?: () => Promise<string>;
  /**
   * The comment that a new one answers. Default: none, for a comment whose text exists only once.
   */
  readonly after?: number;
}

/** Opens the conversation of one pull request, through GitHub's API for issues. */
export function openPullRequest(
  client: GitHubClient,
  repository: RepositoryName,
  number: number,
  { author = () => readLogin(client), after = 0 }: ConversationOptions = {},
): PullRequest {
  const issue = { ...repository, issue_number: number };
  const { issues } = client.rest;
  let login: Promise<string> | undefined;
  const knownAuthor = () => {
    login ??= author();
    return login;
  };
  const list = () =>
    client.paginate(issues.listComments, { ...issue, per_page: 100 }, limitPages());
  return {
    number,
    author: knownAuthor,
    comments: async () => (await list()).map(toComment),
    async createComment(body) {
      const find = async () => {
        const name = await knownAuthor();
        return (await list()).find(
          (each) =>
            each.id > after && each.user?.login === name && isSameText(each.body ?? "", body),
        );
      };
      const request = { ...issue, body, ...createsOnce(find) };
      const created = toComment((await issues.createComment(request)).data);
      // GitHub might not have named this account before. Now qvs can find its earlier comments.
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

/**
 * Returns the merged pull requests that contain a commit. Empty for a commit that was pushed
 * directly.
 */
export async function findMergedPullRequests(
  client: GitHubClient,
  repository: RepositoryName,
  commit: string,
): Promise<readonly number[]> {
  const asked = { ...repository, commit_sha: commit, per_page: 100 };
  const found = await client.paginate(
    client.rest.repos.listPullRequestsAssociatedWithCommit,
    asked,
    limitPages(),
  );
  return found.filter((pull) => pull.merged_at !== null).map(({ number }) => number);
}

/**
 * Returns the newest commits of a push from GitHub, newest first. It serves clones without the
 * commit before the push.
 */
export async function listPushCommits(
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
 * Returns the login of the token. GitHub forbids `GET /user` to the tokens of apps, including the
 * workflow's own. GraphQL's `viewer` works for all three kinds of token.
 * If GitHub rejects that too, the token is most likely the workflow's own.
 */
export async function readLogin(client: GitHubClient): Promise<string> {
  try {
    const { viewer } = await client.graphql<{ viewer: { login: string } }>("{ viewer { login } }");
    return viewer.login;
  } catch {
    return actionsLogin;
  }
}

/**
 * The maximum number of pages. A conversation has at most 2,500 comments, so a longer list never
 * ends.
 */
const maxPages = 100;

/**
 * Returns a function that passes on the data of each page. It throws after the maximum number of
 * pages.
 */
function limitPages<T>(): (page: { readonly data: T }) => T {
  let pages = 0;
  return ({ data }) => {
    pages += 1;
    if (pages > maxPages) {
      throw userError(
        "github-api-error",
        `GitHub's API answered with more than ${maxPages} pages`,
        checkApiUrl,
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

/** Converts a comment. The author is null if the account was deleted. */
function toComment({ id, body = "", html_url, user }: ApiComment): PullRequestComment {
  return { id, body, author: user?.login ?? "", url: html_url };
}
