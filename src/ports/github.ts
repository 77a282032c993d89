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
  /** The login that our own comments carry. */
  author(): Promise<string>;
  comments(): Promise<readonly PullRequestComment[]>;
  createComment(body: Markdown): Promise<PullRequestComment>;
  updateComment(id: number, body: Markdown): Promise<PullRequestComment>;
  deleteComment(id: number): Promise<void>;
}

/** What is known of a pull request whose preview may be an approval. */
export interface ReviewedPullRequest {
  readonly number: number;
  /** Tip of its branch, where it was merged as it was merged. */
  readonly head: string;
  readonly baseBranch: string;
  readonly merged: boolean;
  /** Its branch is in another repository. */
  readonly fromFork: boolean;
  readonly comments: readonly ReviewedComment[];
}

export interface ReviewedComment {
  /** As it is now. */
  readonly body: string;
  /** As it was for those who merged. */
  readonly seen: SeenText;
  /** The account of our token has written it. */
  readonly isOurs: boolean;
  /** Logins as GraphQL writes them; undefined for a deleted account. */
  readonly author: Account | undefined;
  /** Everybody who has changed the body since; undefined where GitHub does not say who all of them were. */
  readonly editors: readonly Account[] | undefined;
}

/**
 * What a comment said just before its pull request was merged or, earlier still, was put into the merge queue; of one that waits for
 * neither, what it says now.
 */
export type SeenText =
  | { readonly type: "text"; readonly text: string }
  /** The comment was written after that. */
  | { readonly type: "later" }
  /** It was edited since, and GitHub does not tell what it said. */
  | { readonly type: "unknown" };

/** `github-actions[bot]` is the account of a bot with the login `github-actions`. */
export interface Account {
  readonly login: string;
  readonly isBot: boolean;
}

export interface Issue {
  readonly number: number;
  readonly body: string;
  readonly author: string;
  readonly url: string;
  /** Somebody has closed it as "not planned". */
  readonly isNotPlanned: boolean;
}

/** The issues of a repository that the account of our token has opened. */
export interface Issues {
  /** The login that these carry. */
  author(): Promise<string>;
  open(): Promise<readonly Issue[]>;
  /** The ones that were closed last. */
  closed(): Promise<readonly Issue[]>;
  create(title: IssueTitle, body: Markdown): Promise<Issue>;
  /** Opened again, or closed as done. */
  update(number: number, body: Markdown, state: "open" | "closed"): Promise<Issue>;
}
