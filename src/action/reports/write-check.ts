import { createCheckRun } from "../../io/github/check-run.ts";
import type { MergeGroupEvent, PullRequestEvent } from "../../io/github/event.ts";
import type { Markdown } from "../../redaction/shown.ts";
import { bestEffortGitHub, clientToWrite } from "../best-effort-github.ts";
import type { ActionContext, ToAskGitHub } from "../context.ts";
import type { Inputs } from "../inputs/inputs.ts";

export interface Verdict {
  readonly title: string;
  readonly summary: Markdown;
  /** What the step fails for: what could not be deployed, and what `fail-on` names. */
  readonly failed: boolean;
}

/** The verdict, asked for only then, as a check run of its own, by the name of the input `check`. A fork's token may not write it. */
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
