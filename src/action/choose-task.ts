import type {
  CommentEvent,
  GitHubEvent,
  MergeGroupEvent,
  PullRequestEvent,
  WorkflowRunEvent,
} from "../io/github/event.ts";
import { UserError, userError } from "../model/problems/errors.ts";
import type { Inputs } from "./inputs/inputs.ts";

type Mode = Exclude<Inputs["mode"], "auto">;

type ModeInputs = Pick<Inputs, "mode" | "revision" | "branch">;

/** The task for an event. A preview needs the event of a pull request or of a merge queue. */
export type ActionTask =
  | { readonly mode: "diff"; readonly event: PullRequestEvent | MergeGroupEvent }
  | {
      readonly mode: "comment";
      readonly event: PullRequestEvent | MergeGroupEvent | WorkflowRunEvent;
    }
  | { readonly mode: "command"; readonly event: CommentEvent }
  | { readonly mode: "environment"; readonly event: PullRequestEvent }
  | { readonly mode: "nothing"; readonly because: string }
  | { readonly mode: "list"; readonly event: PullRequestEvent | MergeGroupEvent | DeployingEvent }
  | {
      readonly mode: "deploy" | "rollback" | "report" | "drift" | "sweep";
      readonly event: DeployingEvent;
      /** The name of the branch that must contain the checked-out commit. */
      readonly branch: string;
    };

/**
 * An event that names its branch and runs that branch's code. qvs rejects every other event,
 * including those that GitHub adds in the future.
 */
type DeployingEvent = Extract<
  GitHubEvent,
  { readonly type: "push" | "workflow_dispatch" | "schedule" }
>;

/**
 * Returns the task for an event. Throws a UserError if the event doesn't allow the task, even if
 * the input `mode` names it.
 */
export function chooseTask(event: GitHubEvent, inputs: ModeInputs): ActionTask {
  const mode = inputs.mode === "auto" ? automaticMode(event, inputs) : inputs.mode;
  if (mode === "comment" && event.type === "workflow_run") return { mode, event };
  if (mode === "command") {
    if (event.type === "issue_comment") return { mode, event };
    throw onlyOn(mode, "issue_comment");
  }
  if (mode === "diff" || mode === "comment") {
    if (event.type === "pull_request" && event.closed) return closed(event);
    if (event.type === "pull_request" || event.type === "merge_group") return { mode, event };
    throw onlyOn(mode, mode === "diff" ? "pull_request and merge_group" : previewsAndTheirRuns);
  }
  if (mode === "list" && (event.type === "pull_request" || event.type === "merge_group"))
    return event.type === "pull_request" && event.closed ? closed(event) : { mode, event };
  if (mode === "environment") {
    if (event.type === "pull_request")
      return event.textEdited ? textEdited(event) : { mode, event };
    if (event.type !== "schedule" && event.type !== "workflow_dispatch")
      throw onlyOn(mode, "pull_request, schedule and workflow_dispatch");
    return { mode: "sweep", event, branch: requireDeployableBranch(event, inputs.branch) };
  }
  switch (event.type) {
    case "push":
    case "workflow_dispatch":
    case "schedule": {
      const branch = requireDeployableBranch(event, inputs.branch);
      return mode === "list" ? { mode, event } : { mode, event, branch };
    }
    case "pull_request":
    case "merge_group":
    case "workflow_run":
    case "issue_comment":
      throw unmerged(event.type, mode);
    case "other":
      throw unmerged(event.name, mode);
  }
}

function onlyOn(mode: Mode, events: string) {
  return userError(
    "unsupported-event",
    `Mode ${mode} works only on ${events}`,
    "Run the workflow on one of these events",
  );
}

const previewsAndTheirRuns = "pull_request, merge_group and workflow_run";

function automaticMode(event: GitHubEvent, { revision }: ModeInputs): Mode {
  switch (event.type) {
    case "pull_request":
    case "merge_group":
      return "diff";
    case "workflow_run":
      return "comment";
    case "issue_comment":
      return "command";
    case "push":
      return "deploy";
    case "workflow_dispatch":
      return revision === "" ? "deploy" : "rollback";
    case "schedule":
      return "drift";
    case "other":
      throw nothingToDo(event.name);
  }
}

/**
 * Returns the task for a closed pull request. Its comment contains the outcome. A new preview would
 * only show the changes that are left.
 */
function closed({ number }: PullRequestEvent): ActionTask {
  return {
    mode: "nothing",
    because: `Pull request #${number} is closed. qvs makes no preview and doesn't change the comment.`,
  };
}

/** Returns the task for an edited title. A deployment would extend the environment's lifetime. */
function textEdited({ number }: PullRequestEvent): ActionTask {
  return {
    mode: "nothing",
    because: `Only texts of pull request #${number} changed. qvs doesn't change its environments.`,
  };
}

function nothingToDo(event: string) {
  return new UserError([
    {
      code: "unsupported-event",
      where: [],
      what: `The event ${event} isn't supported`,
      why: "No mode works on it",
      fix: "Run this on pull_request, merge_group, workflow_run, push, schedule, issue_comment or workflow_dispatch",
    },
  ]);
}

/**
 * Returns the error for an event with untrusted code.
 * Workflows on these events check out a pull request, a tag or any other ref. Some have the
 * repository's secrets although any user can start them.
 */
function unmerged(event: string, mode: Mode) {
  return new UserError([
    {
      code: "code-not-merged",
      where: [],
      what: `Mode ${mode} can't run on the event ${event}`,
      why: "The checked-out code might not be merged yet, or might come from a fork",
      fix: `Run mode ${mode} on push, workflow_dispatch or schedule`,
      otherwise: ["use mode diff on pull_request"],
    },
  ]);
}

/**
 * Returns the branch of the event. Throws a UserError unless it is the default branch or the branch
 * that the input names.
 */
function requireDeployableBranch(event: DeployingEvent, named: string): string {
  const { ref, defaultBranch } = event;
  const allowed = [defaultBranch, named].filter((name) => name !== undefined && name !== "");
  const branch = allowed.find((name) => ref === `refs/heads/${name}`);
  if (branch === undefined) throw otherBranch(ref, defaultBranch);
  if (event.type === "push" && /^0+$/.test(event.after)) {
    throw userError(
      "branch-not-deployed",
      `The branch ${branch} was deleted`,
      "Push the branch again, or limit the workflow to other branches",
    );
  }
  return branch;
}

function otherBranch(ref: string, defaultBranch: string | undefined) {
  const shown = ref === "" ? "The ref of the event" : ref;
  const about =
    defaultBranch === undefined
      ? {
          what: `${shown} can't be deployed`,
          why: "The event doesn't contain the name of the default branch",
        }
      : {
          what: `${shown} isn't the default branch ${defaultBranch}`,
          why: "Only the default branch is deployed automatically",
        };
  return new UserError([
    { code: "branch-not-deployed", where: [], ...about, ...(isTag(ref) ? forTag : forBranch) },
  ]);
}

function isTag(ref: string): boolean {
  return ref.startsWith("refs/tags/");
}

const forTag = {
  fix: "Run the workflow on the default branch: a tag is never deployed, because it can be on any commit",
  otherwise: ["run it on the branch that the input branch names"],
};

const forBranch = {
  fix: "Limit the workflow to the default branch",
  otherwise: ["set the input branch to this branch to deploy it too"],
};
