import type { IssueTitle, Markdown } from "../redaction/shown.ts";

export interface PullRequestComment {
  readonly id: number;
  readonly body: string;
  readonly author: string;
  readonly url: string;
}

/** The conversation of one pull request. */
export interface PullRequest {
  readonly number: number;
  /** Returns the login of qvs's own comments. */
  author(): Promise<string>;
  comments(): Promise<readonly PullRequestComment[]>;
  createComment(body: Markdown): Promise<PullRequestComment>;
  updateComment(id: number, body: Markdown): Promise<PullRequestComment>;
  deleteComment(id: number): Promise<void>;
}

/** The facts about a pull request whose preview can be an approval. */
export interface ReviewedPullRequest {
  readonly number: number;
  /** The head commit; for a merged pull request, the head at the time of the merge. */
  readonly head: string;
  readonly baseBranch: string;
  readonly merged: boolean;
  /** True if its branch is in another repository. */
  readonly fromFork: boolean;
  readonly comments: readonly ReviewedComment[];
}

export interface ReviewedComment {
  /** The current body. */
  readonly body: string;
  /** The body at the time of the merge. */
  readonly seen: TextAtMerge;
  /** True if the account of the token that qvs uses wrote the comment. */
  readonly isOurs: boolean;
  /** The author's login as GraphQL returns it; undefined for a deleted account. */
  readonly author: Account | undefined;
  /** The accounts that edited the body later; undefined if GitHub doesn't return all of them. */
  readonly editors: readonly Account[] | undefined;
}

/**
 * The text of a comment just before its pull request was merged or added to the merge queue,
 * whichever was earlier.
 * For a pull request in neither state, it's the current text.
 */
export type TextAtMerge =
  | { readonly type: "text"; readonly text: string }
  /** The comment was written later. */
  | { readonly type: "later" }
  /** The comment was edited later, and GitHub doesn't return its text of that time. */
  | { readonly type: "unknown" };

/** An account. The bot `github-actions[bot]` has the login `github-actions`. */
export interface Account {
  readonly login: string;
  readonly isBot: boolean;
}

export interface Issue {
  readonly number: number;
  readonly body: string;
  readonly author: string;
  readonly url: string;
  /** True if a user closed it as "not planned". */
  readonly isNotPlanned: boolean;
}

/** The issues of a repository that the account of qvs's token opened. */
export interface Issues {
  /** Returns the login of these issues' author. */
  author(): Promise<string>;
  open(): Promise<readonly Issue[]>;
  /** Returns the most recently closed issues. */
  closed(): Promise<readonly Issue[]>;
  create(title: IssueTitle, body: Markdown): Promise<Issue>;
  /** Updates an issue, and reopens it or closes it as completed. */
  update(number: number, body: Markdown, state: "open" | "closed"): Promise<Issue>;
}
