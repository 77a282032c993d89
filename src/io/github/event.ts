import * as v from "valibot";
import { userError } from "../../model/problems/errors.ts";
import { type Environment, readPayload } from "./event-file.ts";

/** Why the workflow runs, as far as it decides what to do. */
export type GitHubEvent =
  | PullRequestEvent
  | MergeGroupEvent
  | WorkflowRunEvent
  | PushEvent
  | BranchEvent
  | { readonly type: "other"; readonly name: string };

export interface PullRequestEvent {
  readonly type: "pull_request";
  readonly number: number;
  /** Tip of the target branch when the event happened. */
  readonly baseSha: string;
  /** Tip of the pull request's own branch; what is checked out by default is its merge with the base. */
  readonly headSha: string;
  /** Its workflow runs have no secrets and a read-only token. */
  readonly fromFork: boolean;
  /** Merged or given up: what happened to it now is no reason to look at it again. */
  readonly closed: boolean;
}

/** What a merge queue is about to merge, checked out as the target branch would have it. */
export interface MergeGroupEvent {
  readonly type: "merge_group";
  /** The queue's own branch, in full, e.g. `refs/heads/gh-readonly-queue/main/pr-104-…`. */
  readonly headRef: string;
  /** The branch that it will be merged into, in full. */
  readonly baseRef: string;
  /** What the target branch holds when it is this group's turn. */
  readonly baseSha: string;
  readonly headSha: string;
}

/** Another workflow has ended. Its code may be that of a fork; what is here is GitHub's own word. */
export interface WorkflowRunEvent {
  readonly type: "workflow_run";
  readonly runId: number;
  readonly runUrl: string;
  /** Path of its workflow's file; undefined where GitHub does not tell. */
  readonly workflow: string | undefined;
  /** What has started that run. */
  readonly startedBy: string;
  readonly actor: string;
  readonly isCancelled: boolean;
  readonly headSha: string;
  readonly headBranch: string;
  /** `owner/name`; undefined where it was deleted. */
  readonly headRepository: string | undefined;
}

interface PushEvent {
  readonly type: "push";
  /** All zeros when the branch is new. */
  readonly before: string;
  readonly after: string;
  readonly ref: string;
  readonly defaultBranch: string;
}

/** Starts the workflow at the tip of a branch that somebody chose, or of the default branch. */
interface BranchEvent {
  readonly type: "workflow_dispatch" | "schedule";
  /** In full, since a tag may be called as a branch is. */
  readonly ref: string;
  /** undefined when the payload does not tell. */
  readonly defaultBranch: string | undefined;
}

/** Its runs have a token that reads, unless the workflow gives it more. */
export const dependabotLogin = "dependabot[bot]";

/** What GitHub counts, which becomes a part of addresses. */
const count = v.pipe(v.number(), v.safeInteger(), v.minValue(1));
const side = v.object({
  sha: v.string(),
  repo: v.nullable(v.object({ full_name: v.string() })),
});
const pullRequestPayload = v.object({
  action: v.optional(v.string()),
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
  pull_request: { number, state, base, head },
}: v.InferOutput<typeof pullRequestPayload>): PullRequestEvent {
  return {
    type: "pull_request",
    number,
    baseSha: base.sha,
    headSha: head.sha,
    fromFork: !isSameRepository(base.repo, head.repo),
    closed: action === "closed" || state === "closed",
  };
}

/**
 * Whoever started the run says nothing of where the code comes from: Dependabot works within the repository. A repository that was
 * deleted was a fork, since the own one is there.
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
    // GitHub writes it with the ref where a ruleset asks for the workflow.
    workflow: run.path?.replace(/(\.ya?ml)@.*$/, "$1"),
    startedBy: run.event,
    actor: run.actor?.login ?? "",
    isCancelled: run.conclusion === "cancelled" || run.conclusion === "skipped",
    headSha: run.head_sha,
    headBranch: run.head_branch ?? "",
    headRepository: run.head_repository?.full_name,
  };
}

/** The payload and the runner tell the same of what GitHub has started. */
function pushEvent(pushed: v.InferOutput<typeof pushPayload>, env: Environment): PushEvent {
  const { before, after, ref, repository } = pushed;
  const { GITHUB_REF = ref } = env;
  if (GITHUB_REF !== ref) {
    throw userError(
      "unsupported-event",
      `The push event is one to ${ref}, but GITHUB_REF is ${GITHUB_REF}`,
      "Leave both as GitHub has set them",
    );
  }
  return { type: "push", before, after, ref, defaultBranch: repository.default_branch };
}

/** The branch's commit before a push; undefined for a new branch, on which everything is new, and for any other event. */
export function pushedFrom(event: GitHubEvent): string | undefined {
  return event.type === "push" && !/^0+$/.test(event.before) ? event.before : undefined;
}

/** GitHub runs schedules on the default branch alone, and its payload does not always name that. */
function branchEvent(
  type: BranchEvent["type"],
  { repository }: v.InferOutput<typeof branchPayload>,
  { GITHUB_REF: ref = "" }: Environment,
): BranchEvent {
  const scheduled = type === "schedule" ? /^refs\/heads\/(.+)$/.exec(ref)?.[1] : undefined;
  return { type, ref, defaultBranch: repository?.default_branch ?? scheduled };
}
