import type {
  GitHubEvent,
  MergeGroupEvent,
  PullRequestEvent,
  WorkflowRunEvent,
} from "../io/github/event.ts";
import { userError } from "../model/problems/errors.ts";
import type { Inputs } from "./inputs/inputs.ts";

type Mode = Exclude<Inputs["mode"], "auto">;

type Asked = Pick<Inputs, "mode" | "revision" | "branch">;

/** The task for an event. A preview needs the event of a pull request or of a merge queue. */
export type Task =
  | { readonly mode: "diff"; readonly event: PullRequestEvent | MergeGroupEvent }
  | {
      readonly mode: "comment";
      readonly event: PullRequestEvent | MergeGroupEvent | WorkflowRunEvent;
    }
  | { readonly mode: "nothing"; readonly because: string }
  | { readonly mode: "list"; readonly event: PullRequestEvent | MergeGroupEvent | DeployingEvent }
  | {
      readonly mode: "deploy" | "rollback" | "report" | "drift";
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
export function taskFor(event: GitHubEvent, inputs: Asked): Task {
  const mode = inputs.mode === "auto" ? modeOf(event, inputs) : inputs.mode;
  if (mode === "comment" && event.type === "workflow_run") return { mode, event };
  if (mode === "diff" || mode === "comment") {
    if (event.type === "pull_request" && event.closed) return closed(event);
    if (event.type === "pull_request" || event.type === "merge_group") return { mode, event };
    const events = mode === "diff" ? "pull_request and merge_group" : previewsAndTheirRuns;
    throw userError(
      "unsupported-event",
      `mode ${mode} works on ${events} only`,
      "Run the workflow on one of these",
    );
  }
  if (mode === "list" && (event.type === "pull_request" || event.type === "merge_group"))
    return event.type === "pull_request" && event.closed ? closed(event) : { mode, event };
  switch (event.type) {
    case "push":
    case "workflow_dispatch":
    case "schedule": {
      const branch = branchOf(event, inputs.branch);
      return mode === "list" ? { mode, event } : { mode, event, branch };
    }
    case "pull_request":
    case "merge_group":
    case "workflow_run":
      throw unmerged(event.type, mode);
    case "other":
      throw unmerged(event.name, mode);
  }
}

const previewsAndTheirRuns = "pull_request, merge_group and workflow_run";

function modeOf(event: GitHubEvent, { revision }: Asked): Mode {
  switch (event.type) {
    case "pull_request":
    case "merge_group":
      return "diff";
    case "workflow_run":
      return "comment";
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
function closed({ number }: PullRequestEvent): Task {
  return {
    mode: "nothing",
    because: `Pull request #${number} is closed, so there is nothing to preview. Its comment stays as it is.`,
  };
}

function nothingToDo(event: string) {
  return userError(
    "unsupported-event",
    `there is nothing to do on the event ${event}`,
    "Run this on pull_request, merge_group, workflow_run, push, schedule or workflow_dispatch: no input mode works on another event",
  );
}

/**
 * Returns the error for an event with untrusted code.
 * Workflows on these events check out a pull request, a tag or any other ref. Some have the
 * repository's secrets although any user can start them.
 */
function unmerged(event: string, mode: Mode) {
  return userError(
    "code-not-merged",
    `mode ${mode} is refused on the event ${event}: what is checked out may not be merged yet, or come from a fork`,
    `Run ${mode} on push, workflow_dispatch or schedule; on pull_request use mode diff`,
  );
}

/**
 * Returns the branch of the event. Throws a UserError unless it is the default branch or the branch
 * that the input names.
 */
function branchOf(event: DeployingEvent, named: string): string {
  const { ref, defaultBranch } = event;
  const allowed = [defaultBranch, named].filter((name) => name !== undefined && name !== "");
  const branch = allowed.find((name) => ref === `refs/heads/${name}`);
  if (branch === undefined) throw otherBranch(ref, defaultBranch);
  if (event.type === "push" && /^0+$/.test(event.after)) {
    throw userError(
      "branch-not-deployed",
      `The branch ${branch} was deleted, so there is nothing of it to deploy`,
      "Push the branch again, or limit the workflow to other branches",
    );
  }
  return branch;
}

function otherBranch(ref: string, defaultBranch: string | undefined) {
  const shown = ref === "" ? "What the workflow runs on" : ref;
  return userError(
    "branch-not-deployed",
    defaultBranch === undefined
      ? `${shown} may not be deployed: the event does not say which branch is the default one`
      : `${shown} is not the default branch, ${defaultBranch}, and only that is deployed automatically`,
    ref.startsWith("refs/tags/")
      ? "Run the workflow on that branch, or on one that the input branch names: a tag is never deployed, since it can be on any commit"
      : "Limit the workflow to that branch, or name this one in the input branch to deploy it as well",
  );
}
