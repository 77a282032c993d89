import * as v from "valibot";
import { UserError } from "../../model/problems/errors.ts";
import type { Environment } from "../environment.ts";
import { readPayload } from "./read-payload.ts";

/** The event that started the workflow, with the data on which qvs decides. */
export type GitHubEvent =
  | PullRequestEvent
  | MergeGroupEvent
  | WorkflowRunEvent
  | CommentEvent
  | PushEvent
  | BranchEvent
  | { readonly type: "other"; readonly name: string };

export interface PullRequestEvent {
  readonly type: "pull_request";
  readonly number: number;
  /** The tip of the target branch when the event happened. */
  readonly baseSha: string;
  /**
   * The tip of the pull request's own branch. By default, actions/checkout checks out its merge
   * with the base.
   */
  readonly headSha: string;
  /**
   * True if the branch is in a fork. The workflow runs of a fork have no secrets and a read-only
   * token.
   */
  readonly fromFork: boolean;
  /**
   * True if the pull request is merged or closed. The event is then no reason for another preview.
   */
  readonly closed: boolean;
  /** True if a user edited only texts, such as the title. The base branch is the same. */
  readonly textEdited: boolean;
}

/**
 * A merge queue is about to merge a group. The checkout equals the target branch after that merge.
 */
export interface MergeGroupEvent {
  readonly type: "merge_group";
  /** The full ref of the queue's own branch, e.g. `refs/heads/gh-readonly-queue/main/pr-104-…`. */
  readonly headRef: string;
  /** The full ref of the branch into which the queue merges the group. */
  readonly baseRef: string;
  /** The commit of the target branch when the queue merges this group. */
  readonly baseSha: string;
  readonly headSha: string;
}

/**
 * Another workflow has ended. Its code can be that of a fork, but GitHub itself provides these
 * values.
 */
export interface WorkflowRunEvent {
  readonly type: "workflow_run";
  readonly runId: number;
  readonly runUrl: string;
  /** The path of the workflow's file; undefined if GitHub doesn't report it. */
  readonly workflow: string | undefined;
  /** The event that started that run. */
  readonly startedBy: string;
  readonly actor: string;
  readonly isCancelled: boolean;
  readonly headSha: string;
  readonly headBranch: string;
  /** The repository as `owner/name`; undefined if it was deleted. */
  readonly headRepository: string | undefined;
}

/**
 * A user wrote or changed a comment. The workflow and its checkout are those of the default branch.
 */
export interface CommentEvent {
  readonly type: "issue_comment";
  /** The number of the issue or pull request. */
  readonly number: number;
  readonly isPullRequest: boolean;
  /** False for a comment that was edited or deleted. */
  readonly isNew: boolean;
  readonly commentId: number;
  /** Untrusted text: anyone can comment in a public repository. */
  readonly body: string;
  /** The login of the author. */
  readonly author: string;
  /** True if an app wrote the comment. It can repeat text of anyone. */
  readonly isByApp: boolean;
  /** The time of the comment in ISO 8601. */
  readonly createdAt: string;
  readonly defaultBranch: string;
}

export interface PushEvent {
  readonly type: "push";
  /** All zeros if the branch is new. */
  readonly before: string;
  readonly after: string;
  readonly ref: string;
  readonly defaultBranch: string;
}

/**
 * An event that starts the workflow at the tip of a branch. A user selected the branch, or it is
 * the default branch.
 */
interface BranchEvent {
  readonly type: "workflow_dispatch" | "schedule";
  /** The full ref, because a tag can have the name of a branch. */
  readonly ref: string;
  /** Undefined if the payload doesn't contain it. */
  readonly defaultBranch: string | undefined;
}

/** The login of Dependabot. Its runs have a read-only token, unless the workflow gives it more. */
export const dependabotLogin = "dependabot[bot]";

/** A number that GitHub assigns. It becomes a part of URLs. */
const count = v.pipe(v.number(), v.safeInteger(), v.minValue(1));
const side = v.object({
  sha: v.string(),
  repo: v.nullable(v.object({ full_name: v.string() })),
});
const pullRequestPayload = v.object({
  action: v.optional(v.string()),
  changes: v.nullish(v.object({ base: v.nullish(v.object({})) })),
  pull_request: v.object({
    number: count,
    state: v.optional(v.string()),
    base: side,
    head: side,
  }),
});
const workflowRunPayload = v.object({
  workflow_run: v.object({
    id: count,
    html_url: v.string(),
    path: v.nullish(v.string()),
    event: v.string(),
    actor: v.nullish(v.object({ login: v.string() })),
    conclusion: v.nullish(v.string()),
    head_sha: v.string(),
    head_branch: v.nullish(v.string()),
    head_repository: v.nullish(v.object({ full_name: v.string() })),
  }),
});
const mergeGroupPayload = v.object({
  merge_group: v.object({
    base_sha: v.string(),
    head_sha: v.string(),
    head_ref: v.optional(v.string(), ""),
    base_ref: v.optional(v.string(), ""),
  }),
});
const commentPayload = v.object({
  action: v.string(),
  issue: v.object({ number: count, pull_request: v.nullish(v.object({})) }),
  comment: v.object({
    id: count,
    body: v.nullish(v.string()),
    created_at: v.string(),
    user: v.nullish(v.object({ login: v.string(), type: v.optional(v.string()) })),
  }),
  repository: v.object({ default_branch: v.string() }),
});
const pushPayload = v.object({
  before: v.string(),
  after: v.string(),
  ref: v.string(),
  repository: v.object({ default_branch: v.string() }),
});
const branchPayload = v.object({
  repository: v.nullish(v.object({ default_branch: v.optional(v.string()) })),
});

/** Reads `GITHUB_EVENT_NAME` and the payload at `GITHUB_EVENT_PATH`. */
export function readEvent(env: Environment): GitHubEvent {
  const name = env.GITHUB_EVENT_NAME ?? "";
  switch (name) {
    case "pull_request":
      return pullRequestEvent(readPayload(env, pullRequestPayload));
    case "merge_group":
      return mergeGroupEvent(readPayload(env, mergeGroupPayload));
    case "workflow_run":
      return workflowRunEvent(readPayload(env, workflowRunPayload));
    case "issue_comment":
      return commentEvent(readPayload(env, commentPayload));
    case "push":
      return pushEvent(readPayload(env, pushPayload), env);
    case "workflow_dispatch":
    case "schedule":
      return branchEvent(name, readPayload(env, branchPayload), env);
    default:
      return { type: "other", name };
  }
}

function pullRequestEvent({
  action,
  changes,
  pull_request: { number, state, base, head },
}: v.InferOutput<typeof pullRequestPayload>): PullRequestEvent {
  return {
    type: "pull_request",
    number,
    baseSha: base.sha,
    headSha: head.sha,
    fromFork: !isSameRepository(base.repo, head.repo),
    closed: action === "closed" || state === "closed",
    textEdited: action === "edited" && changes?.base == null,
  };
}

/**
 * Reports whether the code is in the base repository. The user who started the run is no evidence:
 * Dependabot works within the repository.
 * A deleted repository was a fork, because the base repository exists.
 */
function isSameRepository(base: Side["repo"], head: Side["repo"]): boolean {
  return base !== null && head !== null && base.full_name === head.full_name;
}

type Side = v.InferOutput<typeof side>;

function mergeGroupEvent({
  merge_group: { base_sha, head_sha, head_ref, base_ref },
}: v.InferOutput<typeof mergeGroupPayload>): MergeGroupEvent {
  const refs = { headRef: head_ref, baseRef: base_ref };
  return { type: "merge_group", baseSha: base_sha, headSha: head_sha, ...refs };
}

function workflowRunEvent({
  workflow_run: run,
}: v.InferOutput<typeof workflowRunPayload>): WorkflowRunEvent {
  return {
    type: "workflow_run",
    runId: run.id,
    runUrl: run.html_url,
    // GitHub appends the ref if a ruleset requires the workflow.
    workflow: run.path?.replace(/(\.ya?ml)@.*$/, "$1"),
    startedBy: run.event,
    actor: run.actor?.login ?? "",
    isCancelled: run.conclusion === "cancelled" || run.conclusion === "skipped",
    headSha: run.head_sha,
    headBranch: run.head_branch ?? "",
    headRepository: run.head_repository?.full_name,
  };
}

/**
 * Returns the push event. Throws a UserError if the payload and the runner report different refs.
 */
function pushEvent(pushed: v.InferOutput<typeof pushPayload>, env: Environment): PushEvent {
  const { before, after, ref, repository } = pushed;
  const { GITHUB_REF = ref } = env;
  if (GITHUB_REF !== ref) {
    throw new UserError([
      {
        code: "unsupported-event",
        where: [],
        what: "GITHUB_REF isn't the ref of the push event",
        facts: [
          { label: "event", value: ref },
          { label: "found", value: GITHUB_REF },
        ],
        fix: "Leave GITHUB_REF and the event file as GitHub set them",
      },
    ]);
  }
  return { type: "push", before, after, ref, defaultBranch: repository.default_branch };
}

/**
 * Returns the branch's commit before a push. Undefined for a new branch, on which every commit is
 * new, and for any other event.
 */
export function commitBeforePush(event: GitHubEvent): string | undefined {
  return event.type === "push" && !/^0+$/.test(event.before) ? event.before : undefined;
}

/**
 * Returns the event. GitHub runs schedules on the default branch only, and its payload doesn't
 * always name that branch.
 */
function branchEvent(
  type: BranchEvent["type"],
  { repository }: v.InferOutput<typeof branchPayload>,
  { GITHUB_REF: ref = "" }: Environment,
): BranchEvent {
  const scheduled = type === "schedule" ? /^refs\/heads\/(.+)$/.exec(ref)?.[1] : undefined;
  return { type, ref, defaultBranch: repository?.default_branch ?? scheduled };
}

function commentEvent({
  action,
  issue,
  comment,
  repository,
}: v.InferOutput<typeof commentPayload>): CommentEvent {
  return {
    type: "issue_comment",
    number: issue.number,
    isPullRequest: issue.pull_request != null,
    isNew: action === "created",
    commentId: comment.id,
    body: comment.body ?? "",
    author: comment.user?.login ?? "",
    isByApp: comment.user?.type === "Bot",
    createdAt: comment.created_at,
    defaultBranch: repository.default_branch,
  };
}
