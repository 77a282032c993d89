import { userError } from "../errors.ts";
import type { GitHubEvent, PullRequestEvent } from "../io/github/event.ts";
import type { Inputs } from "./inputs.ts";

type Mode = Exclude<Inputs["mode"], "auto">;

type Asked = Pick<Inputs, "mode" | "revision" | "branch">;

/** What is done on an event; a preview needs the event to be a pull request's. */
export type Task =
  | { readonly mode: "diff"; readonly event: PullRequestEvent }
  | { readonly mode: "deploy" | "rollback"; readonly event: GitHubEvent };

/** What to do on an event. Throws a UserError for whatever must not be done on it, even when the input mode asks for it. */
export function taskFor(event: GitHubEvent, inputs: Asked): Task {
  const mode = inputs.mode === "auto" ? modeOf(event, inputs) : inputs.mode;
  if (mode === "diff") {
    if (event.type === "pull_request") return { mode, event };
    throw userError("mode diff works on pull_request only", "Run the workflow on pull_request");
  }
  requireMergedCode(event, mode, inputs.branch);
  return { mode, event };
}

function modeOf(event: GitHubEvent, { revision }: Asked): Mode {
  switch (event.type) {
    case "pull_request":
      return "diff";
    case "push":
      return "deploy";
    case "workflow_dispatch":
      return revision === "" ? "deploy" : "rollback";
    case "other":
      throw userError(
        `there is nothing to do on the event ${event.name}`,
        "Run this on pull_request, push or workflow_dispatch, or set the input mode",
      );
  }
}

/** What is not merged yet, a fork's code above all, never reaches a cluster from here. */
function requireMergedCode(event: GitHubEvent, mode: Mode, branch: string): void {
  switch (event.type) {
    case "pull_request":
      throw unmerged(event.type, mode);
    case "push":
      requireBranch(event, branch);
      return;
    case "workflow_dispatch":
      return;
    case "other":
      if (isAboutUnmergedCode(event.name)) throw unmerged(event.name, mode);
  }
}

/** Workflows on these commonly check out a pull request; some have the repository's secrets although a stranger starts them. */
function isAboutUnmergedCode(name: string): boolean {
  const others = ["issue_comment", "merge_group", "workflow_run"];
  return name.startsWith("pull_request") || others.includes(name);
}

function unmerged(event: string, mode: Mode) {
  return userError(
    `mode ${mode} is refused on the event ${event}: what is checked out may not be merged yet, or come from a fork`,
    `Run ${mode} on push or workflow_dispatch; on pull_request use mode diff`,
  );
}

function requireBranch(event: GitHubEvent & { type: "push" }, branch: string): void {
  const allowed = [event.defaultBranch, ...(branch === "" ? [] : [branch])];
  if (allowed.some((name) => event.ref === `refs/heads/${name}`)) return;
  throw userError(
    `${event.ref} is not the default branch, ${event.defaultBranch}, and only that is deployed by itself`,
    "Limit the workflow to that branch, or name this one in the input branch to deploy it as well",
  );
}
