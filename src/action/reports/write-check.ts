import { createCheckRun } from "../../io/github/check-run.ts";
import type { MergeGroupEvent, PullRequestEvent } from "../../io/github/event.ts";
import type { Markdown } from "../../redaction/shown.ts";
import { bestEffortGitHub, clientToWrite } from "../best-effort-github.ts";
import type { ActionContext, ToAskGitHub } from "../context.ts";
import type { Inputs } from "../inputs/inputs.ts";

export interface Verdict {
  readonly title: string;
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
  verdictOf: () => Verdict,
  inputs: Pick<Inputs, "check" | "token">,
  context: Pick<ActionContext, keyof ToAskGitHub | "repository" | "runUrl">,
): Promise<void> {
  const { check: name } = inputs;
  const fromFork = event.type === "pull_request" && event.fromFork;
  if (name === "" || fromFork) return;
  const asked = { doing: "write the check run", permissions: "checks: write", unless: 'check: ""' };
  const client = clientToWrite(asked, context, inputs);
  if (client === undefined) return;
  const { title, summary, failed } = verdictOf();
  const conclusion = failed ? "failure" : "success";
  const verdict = { name, commit: event.headSha, conclusion, title, summary } as const;
  await bestEffortGitHub(
    asked.doing,
    () => createCheckRun(client, context.repository, { ...verdict, detailsUrl: context.runUrl }),
    asked.permissions,
  );
}
