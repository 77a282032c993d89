import type { StoredArtifact } from "./artifacts.ts";
import type { StoredIssue } from "./issues.ts";
import type { OpenPull } from "./open-pulls.ts";
import type { Dispatch, StoredRun } from "./workflows.ts";

/** A comment in the fake GitHub. IDs and times only increase, so tests can compare ages. */
export interface StoredComment {
  readonly id: number;
  readonly issue: number;
  readonly author: string;
  body: string;
  /** The time in ISO 8601, in whole seconds. */
  readonly createdAt: string;
  /** The users who edited it, the last one at the end. */
  readonly editors: string[];
  /** The versions of the body, starting with the creation. */
  readonly versions: StoredVersion[];
  /** The time of the last change, if that wasn't an edit. */
  updatedAt?: string;
}

interface StoredVersion {
  body: string;
  readonly at: string;
  /** The time of the history entry. The entry of the creation is added with the first edit. */
  updatedAt?: string;
  deletedAt?: string;
}

export interface StoredPull {
  readonly number: number;
  readonly mergeCommit: string;
  /** Further commits of its branch. */
  readonly commits?: readonly string[];
  /** False if it is still open. */
  readonly merged?: boolean;
  /** The time of the merge. Default: the time when it was added here. */
  mergedAt?: string;
  /** The time when it was added to the merge queue. */
  readonly queuedAt?: string;
  /** The head commit of its branch. */
  readonly head?: string;
  /** The base branch. Default: `main`. */
  readonly base?: string;
  /** True for a pull request from another repository. */
  readonly fork?: boolean;
}

export interface StoredDeployment {
  readonly id: number;
  readonly ref: string;
  readonly environment: string;
  readonly task?: string;
  readonly description: string;
  readonly payload: unknown;
  /** The statuses, the newest last. */
  readonly statuses: StoredStatus[];
}

export interface StoredStatus {
  readonly id: number;
  readonly state: string;
  readonly description: string;
  readonly log_url?: string;
  readonly environment_url?: string;
  readonly auto_inactive?: boolean;
}

export interface StoredCheck {
  readonly name: string;
  readonly head_sha: string;
  readonly conclusion: string;
  readonly details_url?: string;
  readonly output: { readonly title: string; readonly summary: string };
}

/** GitHub rejects longer bodies with 422. */
const maxBody = 65_536;

export class State {
  readonly comments: StoredComment[] = [];
  readonly issues: StoredIssue[] = [];
  readonly pulls: StoredPull[] = new StoredPulls(() => this.now());
  /** The commits of each branch, the newest last. */
  readonly branches = new Map<string, readonly string[]>();
  /** The directory of the repository for trees and blobs. */
  repository: string | undefined;
  /** True to report that a tree is too large for a complete list. */
  truncatesTrees = false;
  /** The pushes, each with the commit before it. */
  readonly pushes: { readonly before: string; readonly commits: readonly string[] }[] = [];
  readonly deployments: StoredDeployment[] = [];
  readonly checks: StoredCheck[] = [];
  /** The labels of the pull requests, by number. */
  readonly labels = new Map<number, string[]>();
  /** The numbers of the pull requests in the merge queue, the next one first. */
  readonly queue: number[] = [];
  readonly openPulls: OpenPull[] = [];
  readonly artifacts: StoredArtifact[] = [];
  /** The permissions of users, by login: `admin`, `write`, `read` or `none`. */
  readonly collaborators = new Map<string, string>();
  /** The reactions as `COMMENT CONTENT`. */
  readonly reactions: string[] = [];
  /** The names of the files in .github/workflows of the default branch. */
  readonly workflows = new Set<string>();
  readonly runs: StoredRun[] = [];
  readonly dispatches: Dispatch[] = [];
  private nextId = 1001;
  private seconds = 0;

  /** Returns a time that is one second later in each call. */
  now(): string {
    return new Date(Date.UTC(2026, 0, 1) + 1000 * this.seconds++).toISOString().replace(".000", "");
  }

  newId(): number {
    return this.nextId++;
  }

  add(issue: number, author: string, body: string): StoredComment {
    const createdAt = this.now();
    const versions = [{ body, at: createdAt }];
    const comment = { id: this.nextId++, issue, author, body, createdAt, editors: [], versions };
    this.comments.push(comment);
    return comment;
  }

  edit(comment: StoredComment, login: string, body: string): void {
    comment.body = body;
    comment.editors.push(login);
    comment.versions.push({ body, at: this.now() });
  }

  /** Returns the pull requests of a commit. */
  pullsOf(commit: string): readonly StoredPull[] {
    return this.pulls.filter(
      ({ mergeCommit, commits }) => mergeCommit === commit || commits?.includes(commit),
    );
  }

  find(id: number): StoredComment | undefined {
    return this.comments.find((comment) => comment.id === id);
  }

  remove(id: number): boolean {
    const index = this.comments.findIndex((comment) => comment.id === id);
    if (index >= 0) this.comments.splice(index, 1);
    return index >= 0;
  }
}

/** A list that sets the merge time of added pull requests, unless they are open. */
class StoredPulls extends Array<StoredPull> {
  private readonly now: () => string;

  constructor(now: () => string) {
    super();
    this.now = now;
  }

  static override get [Symbol.species]() {
    return Array;
  }

  override push(...added: StoredPull[]): number {
    const merged = added.map((pull) =>
      pull.merged === false ? pull : { mergedAt: this.now(), ...pull },
    );
    return super.push(...merged);
  }
}

export function isTooLong(body: string): boolean {
  return body.length > maxBody;
}
