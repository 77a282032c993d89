import type { PullRequestEvent } from "../../io/github/event.ts";
import { type LabeledPullRequest, syncLabels } from "../../io/github/labels.ts";
import type { RunContext } from "../context.ts";
import { bestEffortGitHub, openOptionalClient } from "../github-errors.ts";
import type { Inputs } from "../inputs/inputs.ts";
import type { previewOutputs } from "../reports/count-outputs.ts";
import { outdatedReason, quietForDependabot } from "./sync-comment.ts";

/** The outcomes of a preview that get a label. A plan that is ready needs none. */
const labeledOutcomes: ReadonlySet<unknown> = new Set([
  "blocked",
  "review",
  "waiting",
  "unchecked",
  "no-change",
]);

/** Returns the names of the labels, without the prefix, for the outputs of a preview. */
export function labelNames(outputs: ReturnType<typeof previewOutputs>): readonly string[] {
  const { outcome } = outputs;
  return [
    ...(labeledOutcomes.has(outcome) ? [`${outcome}`] : []),
    ...(outputs["has-deletions"] === true ? ["deletes"] : []),
  ];
}

/**
 * Labels the pull request with the outcome of its preview, if the input `labels` has a prefix. It
 * skips forks, whose token isn't allowed to, and a run that isn't the one of the newest commit.
 */
export async function writeLabels(
  { fromFork, number, headSha }: PullRequestEvent,
  outputs: ReturnType<typeof previewOutputs>,
  inputs: Pick<Inputs, "labels" | "token">,
  context: RunContext,
): Promise<void> {
  if (fromFork || inputs.labels === "") return;
  const output = { doing: "label the pull request", unless: 'labels: ""' };
  const client = openOptionalClient(output, context, inputs);
  if (client === undefined) return;
  const prefix = `${inputs.labels}/`;
  const wanted = { prefix, names: labelNames(outputs).map((name) => prefix + name) };
  const pull: LabeledPullRequest = { ...context.repository, number };
  const write = async () => {
    const isOutdated = await outdatedReason(client, context.repository, { number, headSha });
    if (isOutdated === undefined) await syncLabels(client, pull, wanted);
  };
  await bestEffortGitHub(
    output.doing,
    () => quietForDependabot(context, "label pull requests", write),
    "pull-requests: write, and issues: write to create labels",
  );
}
