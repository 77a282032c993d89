import type { Markdown } from "../redaction/shown.ts";

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
