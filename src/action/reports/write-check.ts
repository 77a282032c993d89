import { createCheckRun } from "../../io/github/check-run.ts";
import type { MergeGroupEvent, PullRequestEvent } from "../../io/github/event.ts";
import type { CheckTitle, Markdown } from "../../redaction/shown.ts";
import type { ActionContext, GitHubAccess } from "../context.ts";
import { bestEffortGitHub, openOptionalClient } from "../github-errors.ts";
import type { Inputs } from "../inputs/inputs.ts";

export interface CheckVerdict {
  readonly title: CheckTitle;
  readonly summary: Markdown;
  /** True if the step fails: a plan can't be deployed, or `fail-on` names a finding. */
  readonly failed: boolean;
}

/**
 * Writes the verdict as a check run with the name in the input `check`. Computes the verdict only
 * then. It skips forks, whose token isn't allowed to write check runs.
 */
export async function writeCheck(
  event: PullRequestEvent | MergeGroupEvent,
  computeVerdict: () => CheckVerdict,
  inputs: Pick<Inputs, "check" | "token">,
  context: Pick<ActionContext, keyof GitHubAccess | "repository" | "runUrl">,
): Promise<void> {
  const { check: name } = inputs;
  const fromFork = event.type === "pull_request" && event.fromFork;
  if (name === "" || fromFork) return;
  const output = {
    doing: "write the check run",
    permissions: "checks: write",
    unless: 'check: ""',
  };
  const client = openOptionalClient(output, context, inputs);
  if (client === undefined) return;
  const { title, summary, failed } = computeVerdict();
  const conclusion = failed ? "failure" : "success";
  const verdict = { name, commit: event.headSha, conclusion, title, summary } as const;
  await bestEffortGitHub(
    output.doing,
    () => createCheckRun(client, context.repository, { ...verdict, detailsUrl: context.runUrl }),
    output.permissions,
  );
}
