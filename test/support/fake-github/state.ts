import type { StoredArtifact } from "./artifacts.ts";
import type { StoredIssue } from "./issues.ts";
import type { OpenPull } from "./open-pulls.ts";

/** What the fake GitHub remembers. Ids and times only ever grow, so that tests can tell older from younger. */
export interface StoredComment {
  readonly id: number;
  readonly issue: number;
  readonly author: string;
  body: string;
  /** ISO 8601, of whole seconds. */
  readonly createdAt: string;
  /** Who has changed it since, the last one at the end. */
  readonly editors: string[];
  /** What they have made of it, after what it was created as. */
  readonly versions: StoredVersion[];
  /** Where something else than an edit was the last change. */
  updatedAt?: string;
}

export interface StoredVersion {
  body: string;
  readonly at: string;
  /** Of the entry in the history: that of the creation is made with the first edit. */
  updatedAt?: string;
  deletedAt?: string;
}

export interface StoredPull {
  readonly number: number;
  readonly mergeCommit: string;
  /** Those of its branch, besides. */
  readonly commits?: readonly string[];
  /** false is still open. */
  readonly merged?: boolean;
  /** When it was, by default when it was added here. */
  mergedAt?: string;
  /** When it was put into the merge queue. */
  readonly queuedAt?: string;
  /** Tip of its branch. */
  readonly head?: string;
  /** `main` by default. */
  readonly base?: string;
  /** From another repository. */
  readonly fork?: boolean;
}

export interface StoredDeployment {
  readonly id: number;
  readonly ref: string;
  readonly environment: string;
  readonly description: string;
  readonly payload: unknown;
  /** The newest last. */
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

/** GitHub refuses longer bodies with 422. */
const maxBody = 65_536;

export class State {
  readonly comments: StoredComment[] = [];
  readonly issues: StoredIssue[] = [];
  readonly pulls: StoredPull[] = new StoredPulls(() => this.now());
  /** Name → its commits, the newest last. */
  readonly branches = new Map<string, readonly string[]>();
  /** A folder with the repository that trees and blobs are read from. */
  repository: string | undefined;
  /** Says that a tree is too large to be listed in full. */
  truncatesTrees = false;
  /** By what comes after it. */
  readonly pushes: { readonly before: string; readonly commits: readonly string[] }[] = [];
  readonly deployments: StoredDeployment[] = [];
  readonly checks: StoredCheck[] = [];
  /** Numbers of the pull requests in the merge queue, the next one first. */
  readonly queue: number[] = [];
  readonly openPulls: OpenPull[] = [];
  readonly artifacts: StoredArtifact[] = [];
  private nextId = 1001;
  private seconds = 0;

  /** A second later each time. */
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

  /** Those that a commit belongs to. */
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

/** Whoever adds one has merged it, unless it is open. */
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
