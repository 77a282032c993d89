import { fieldOf } from "../../model/json.ts";
import type { Account, ReviewedComment, ReviewedPullRequest } from "../../ports/github.ts";
import type { GitHubClient, RepositoryName } from "./client.ts";
import { type CommentHistory, type Edit, readSeenTexts } from "./seen-texts.ts";

/**
 * Reads pull requests with their comments, and with the users who edited these.
 * Only GraphQL returns the editors, and it answers for many pull requests at once. REST would need
 * a request for each commit and each comment, and a token has 1,000 requests an hour.
 */

/**
 * Returns the numbers of the pull requests with these commits, those of the newest commit first.
 */
export async function findPullRequests(
  client: GitHubClient,
  repository: RepositoryName,
  commits: readonly string[],
): Promise<readonly number[]> {
  const ids = commits.filter((commit) => /^[0-9a-f]{40,64}$/.test(commit));
  if (ids.length === 0) return [];
  const parts = ids.map((commit, index) => `c${index}: object(oid: "${commit}") { ...pulls }`);
  const query = `query ($owner: String!, $repo: String!) {
    repository(owner: $owner, name: $repo) { ${parts.join("\n")} }
  }
  fragment pulls on Commit { associatedPullRequests(first: 10) { nodes { number } } }`;
  const answer = await ask<RepositoryAnswer<FoundCommit | null>>(client, query, { ...repository });
  const found = ids.flatMap(
    (_, index) =>
      fieldOf(answer.repository ?? {}, `c${index}`)?.associatedPullRequests?.nodes ?? [],
  );
  return [...new Set(found.map(({ number }) => number))];
}

/**
 * Returns the pull requests before one in the queue of a branch, and that one itself. Returns only
 * that one if GitHub doesn't list the queue.
 */
export async function listQueuedPullRequests(
  client: GitHubClient,
  repository: RepositoryName,
  branch: string,
  last: number,
): Promise<readonly number[]> {
  const query = `query ($owner: String!, $repo: String!, $branch: String!) {
    repository(owner: $owner, name: $repo) {
      mergeQueue(branch: $branch) {
        entries(first: 100) { nodes { position pullRequest { number } } }
      }
    }
  }`;
  const answer = await ask<RepositoryAnswer<FoundQueue | null>>(client, query, {
    ...repository,
    branch,
  });
  const entries = answer.repository?.mergeQueue?.entries?.nodes ?? [];
  const own = entries.find(({ pullRequest }) => pullRequest?.number === last);
  const before = entries.filter(({ position }) => own !== undefined && position < own.position);
  return [...before.flatMap(({ pullRequest }) => pullRequest?.number ?? []), last];
}

/**
 * Returns the pull requests that exist, with all their comments.
 * It determines the text at the time of the merge only for certain comments: those that the token's
 * account wrote and that begin with `marker`.
 */
export async function readPullRequests(
  client: GitHubClient,
  { marker, ...repository }: RepositoryName & { readonly marker: string },
  numbers: readonly number[],
): Promise<readonly ReviewedPullRequest[]> {
  if (numbers.length === 0) return [];
  const parts = numbers.map(
    (number) =>
      `p${number}: pullRequest(number: ${number}) { ...pull comments(first: 100) { ...page } }`,
  );
  const query = `query ($owner: String!, $repo: String!) {
    repository(owner: $owner, name: $repo) { ${parts.join("\n")} }
  }
  fragment pull on PullRequest {
    number headRefOid baseRefName merged mergedAt isCrossRepository
    timelineItems(last: 1, itemTypes: [ADDED_TO_MERGE_QUEUE_EVENT]) {
      nodes { ... on AddedToMergeQueueEvent { createdAt } }
    }
  }
  ${commentsFragment}`;
  const answer = await ask<RepositoryAnswer<FoundPull | null>>(client, query, { ...repository });
  const found = numbers.flatMap((number) => fieldOf(answer.repository ?? {}, `p${number}`) ?? []);
  const pulls = await Promise.all(found.map((pull) => withAllComments(client, repository, pull)));
  const counts = ({ body, viewerDidAuthor }: FoundComment) =>
    viewerDidAuthor && body.startsWith(marker);
  const histories = pulls.flatMap(({ pull, comments }) =>
    comments.filter(counts).map((comment) => ({ comment, until: decisionTime(pull) })),
  );
  const seen = await readSeenTexts(client, histories);
  return pulls.map(({ pull, comments }) => toPullRequest(pull, comments, seen));
}

const commentsFragment = `fragment page on IssueCommentConnection {
  pageInfo { hasNextPage endCursor }
  nodes {
    body
    viewerDidAuthor
    author { __typename login }
    createdAt
    updatedAt
    lastEditedAt
    userContentEdits(first: 100) {
      pageInfo { hasNextPage }
      nodes { id editedAt updatedAt deletedAt editor { __typename login } }
    }
  }
}`;

/** The maximum number of pages. GitHub allows 2,500 comments in a conversation. */
const maxPages = 25;

async function withAllComments(
  client: GitHubClient,
  repository: RepositoryName,
  pull: FoundPull,
): Promise<{ readonly pull: FoundPull; readonly comments: readonly FoundComment[] }> {
  const query = `query ($owner: String!, $repo: String!, $number: Int!, $after: String!) {
    repository(owner: $owner, name: $repo) {
      pullRequest(number: $number) { comments(first: 100, after: $after) { ...page } }
    }
  }
  ${commentsFragment}`;
  const all = [...(pull.comments.nodes ?? [])];
  let { pageInfo } = pull.comments;
  for (let page = 1; pageInfo.hasNextPage && page < maxPages; page += 1) {
    const queryVariables = { ...repository, number: pull.number, after: pageInfo.endCursor };
    const answer = await ask<RepositoryAnswer<Pick<FoundPull, "comments"> | null>>(
      client,
      query,
      queryVariables,
    );
    const comments = answer.repository?.pullRequest?.comments;
    if (comments === undefined) break;
    all.push(...(comments.nodes ?? []));
    ({ pageInfo } = comments);
  }
  return { pull, comments: all };
}

/**
 * Returns the end of the time in which a user could decide by the text of a comment. Undefined if a
 * user still can.
 * Only GitHub writes these times. A pull request in the merge queue is merged later, without
 * another review.
 */
function decisionTime({ merged, mergedAt, timelineItems }: FoundPull): string | undefined {
  const queued = timelineItems.nodes?.at(-1)?.createdAt;
  const times = [...(merged ? [mergedAt ?? ""] : []), ...(queued === undefined ? [] : [queued])];
  return times.toSorted((one, other) => Date.parse(one) - Date.parse(other))[0];
}

function toPullRequest(
  pull: FoundPull,
  comments: readonly FoundComment[],
  seen: Awaited<ReturnType<typeof readSeenTexts>>,
): ReviewedPullRequest {
  return {
    number: pull.number,
    head: pull.headRefOid,
    baseBranch: pull.baseRefName,
    merged: pull.merged,
    fromFork: pull.isCrossRepository,
    comments: comments.map(
      (comment): ReviewedComment => ({
        body: comment.body,
        seen: seen.get(comment) ?? { type: "unknown" },
        isOurs: comment.viewerDidAuthor,
        author: toAccount(comment.author),
        editors: listEditors(comment.lastEditedAt, comment.userContentEdits),
      }),
    ),
  };
}

/**
 * Returns the editors of a comment; undefined if GitHub doesn't name all of them. A comment that
 * was edited has at least one entry, and every entry names its editor.
 */
function listEditors(
  lastEditedAt: string | null,
  edits: FoundComment["userContentEdits"],
): readonly Account[] | undefined {
  const nodes = edits?.nodes ?? [];
  if (edits?.pageInfo.hasNextPage === true) return undefined;
  if (nodes.length === 0) return lastEditedAt === null ? [] : undefined;
  const editors = nodes.map((edit) => toAccount(edit?.editor ?? null));
  const known = editors.filter((editor) => editor !== undefined);
  return known.length === editors.length ? known : undefined;
}

function toAccount(actor: Actor | null): Account | undefined {
  return actor === null
    ? undefined
    : { login: actor.login.replace(/\[bot\]$/, ""), isBot: actor.__typename === "Bot" };
}

/** Sends a query. If GitHub rejects a part of the query, it answers the rest. */
async function ask<T>(
  client: GitHubClient,
  query: string,
  variables: Readonly<Record<string, string | number | null>>,
): Promise<T> {
  try {
    return await client.graphql<T>(query, { ...variables });
  } catch (error) {
    const data = error instanceof Error && "data" in error ? error.data : undefined;
    if (typeof data !== "object" || data === null || !("repository" in data)) throw error;
    if (data.repository === null) throw error;
    return data as T;
  }
}

interface RepositoryAnswer<T> {
  readonly repository: Readonly<Record<string, T>> | null;
}

interface FoundCommit {
  readonly associatedPullRequests?: {
    readonly nodes: readonly { readonly number: number }[] | null;
  };
}

interface FoundQueue {
  readonly entries: {
    readonly nodes:
      | readonly {
          readonly position: number;
          readonly pullRequest: { readonly number: number } | null;
        }[]
      | null;
  } | null;
}

interface FoundPull {
  readonly number: number;
  readonly headRefOid: string;
  readonly baseRefName: string;
  readonly merged: boolean;
  readonly mergedAt: string | null;
  readonly timelineItems: {
    readonly nodes: readonly ({ readonly createdAt: string } | null)[] | null;
  };
  readonly isCrossRepository: boolean;
  readonly comments: {
    readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null };
    readonly nodes: readonly FoundComment[] | null;
  };
}

interface FoundComment extends CommentHistory {
  readonly viewerDidAuthor: boolean;
  readonly author: Actor | null;
  readonly userContentEdits: {
    readonly pageInfo: { readonly hasNextPage: boolean };
    readonly nodes: readonly ((Edit & { readonly editor: Actor | null }) | null)[] | null;
  } | null;
}

interface Actor {
  readonly __typename: string;
  readonly login: string;
}
