import {
  type PullRequestState,
  type Sweep,
  type SweepResult,
  type SweptEnvironment,
  sweepEnvironments,
} from "../../commands/environments/sweep-environments.ts";
import type { LiveEnvironment } from "../../deploying/queries/read-environments.ts";
import { annotate } from "../../io/github/annotations.ts";
import { logLines } from "../../io/github/log.ts";
import { currentPull } from "../../io/github/workflow-run.ts";
import type { Deployment } from "../../model/deployments/deployment.ts";
import { withNumber } from "../../model/deployments/preview-environment.ts";
import { UserError } from "../../model/problems/errors.ts";
import { describeAllForGitHub } from "../../model/problems/problem-text.ts";
import { formatDuration } from "../../model/text/duration.ts";
import { listDeployments } from "../../sources/list-deployments.ts";
import type { ActionContext } from "../context.ts";
import { askGitHub } from "../github-errors.ts";
import type { Inputs } from "../inputs/inputs.ts";
import { recordOnGitHub } from "../reports/record-on-github.ts";
import type { ShownEnvironment } from "./environment-comment.ts";
import { environmentOwner, readPermission } from "./environment-owner.ts";
import { recordDeletions, showEnvironments, throwBroken } from "./report-environments.ts";

/**
 * Deletes the environments that have expired, and those of closed pull requests. It asks GitHub for
 * each pull request, and again under the lock of its environment.
 */
export async function sweepPullRequests(inputs: Inputs, context: ActionContext): Promise<void> {
  const { world } = context;
  const listed = await listDeployments(world.source.tree, world.repositoryName, world.folder);
  if (!listed.ok) throw new UserError(listed.problems);
  const owner = environmentOwner(context, inputs, undefined);
  const entries = listed.value.map(inputs.adjusted);
  const result = await sweepEnvironments(world, {
    ...{ owner, entries, request: inputs.request },
    stateOf: (number) => askState(number, inputs, context),
  });
  const { outcomes, notices } = result;
  annotate(notices, "warning", "QVS");
  if (notices.length > 0) logLines(describeAllForGitHub(notices));
  if (outcomes.length === 0) logLines("No environment has to be deleted.");
  await reportSwept(result, { entries, owner }, inputs, context);
}

/** Reports each pull request once, with its other environments. Throws a bug in qvs last. */
export async function reportSwept(
  { outcomes, remaining }: Pick<SweepResult, "outcomes" | "remaining">,
  { entries, owner }: Pick<Sweep, "entries" | "owner">,
  inputs: Parameters<typeof recordOnGitHub>[0] & Parameters<typeof showEnvironments>[3],
  context: Parameters<typeof recordOnGitHub>[1] & Parameters<typeof showEnvironments>[4],
): Promise<void> {
  const recorder = recordOnGitHub(inputs, context);
  recordDeletions(outcomes, recorder);
  for (const [number, swept] of Map.groupBy(outcomes, ({ environment }) => environment.number)) {
    const others = remaining.filter(({ environment }) => environment.number === number);
    const shown = others.map((each) => shownRemaining(each, entries));
    const explained = swept.map((each) => ({ ...each, whyDeleted: expiryText(each) }));
    await showEnvironments({ number, remaining: shown }, explained, owner, inputs, context);
  }
  await recorder.flush();
  throwBroken(outcomes);
}

/** Explains the deletion of an environment whose pull request can still be open. */
function expiryText({ isExpired, environment: { ttlMs } }: SweptEnvironment): string | undefined {
  if (!isExpired) return undefined;
  const lifetime = formatDuration(ttlMs) ?? `${ttlMs} ms`;
  return `its lifetime of ${lifetime} has ended; the next commit creates it again`;
}

function shownRemaining(
  { deployment: { name }, environment, release, isDeleting }: LiveEnvironment,
  entries: readonly Deployment[],
): ShownEnvironment {
  if (isDeleting) return { name, state: "kept" };
  if (release.status !== "succeeded")
    return { name, state: "failed", details: [`release ${release.revision} hasn't succeeded`] };
  const preview = entries.find((entry) => entry.name === environment.entry)?.preview;
  return { name, state: "ready", url: preview?.url && withNumber(preview.url, environment.number) };
}

async function askState(
  number: number,
  inputs: Inputs,
  context: ActionContext,
): Promise<PullRequestState> {
  const reply = await askGitHub(readPermission, context, inputs, (client) =>
    currentPull(client, context.repository, number),
  );
  if (!reply.ok) return { unknown: reply.refusal };
  return reply.value.isOpen ? "open" : "closed";
}
