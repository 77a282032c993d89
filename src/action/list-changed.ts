import { deploymentLevels, levelsForDeletion } from "../config/deployment-levels.ts";
import {
  appendDeletionLevels,
  buildMatrix,
  type JobGrouping,
  type Matrix,
} from "../config/matrix.ts";
import { annotate } from "../io/github/annotations.ts";
import { commitBeforePush, type GitHubEvent } from "../io/github/event.ts";
import { logLines } from "../io/github/log.ts";
import { writeOutputs, writeSummary } from "../io/github/step-outputs.ts";
import type { Deployment } from "../model/deployments/deployment.ts";
import { UserError } from "../model/problems/errors.ts";
import { renderAwaitedApprovals } from "../report/queries/awaited-approvals.ts";
import { changedText } from "../report/queries/changed.ts";
import { changedByPush, type PushChanges } from "../sources/changed-by-push.ts";
import { listDeployments } from "../sources/list-deployments.ts";
import {
  notDeleted,
  nothingRemoved,
  type RemovedByPush,
  type RemovedDeployment,
  removedByPush,
} from "../sources/removed-by-push.ts";
import { findApprovals } from "./approvals/find-approvals.ts";
import {
  type FoundApprovals,
  selectApprovedPlans,
  writeFoundApprovals,
} from "./approvals/found-approvals.ts";
import { type ActionContext, hasCluster, readRepositoryUrl } from "./context.ts";
import type { Inputs } from "./inputs/inputs.ts";
import { changedByPullRequest } from "./pull-requests/changed-by-pull-request.ts";

/**
 * Writes the outputs that list the deployments for later jobs to preview or deploy. Writes nothing
 * else, and reads the cluster only if a kubeconfig is given.
 */
export async function listChanged(
  event: GitHubEvent,
  inputs: Inputs,
  context: ActionContext,
): Promise<void> {
  const { all, deployments, notices, removals } = await listDeploymentsForEvent(
    event,
    inputs,
    context,
  );
  annotate(notices, "warning", "QVS");
  // Previews don't depend on each other.
  const preview = isPreview(event);
  const deploying = preview ? oneLevel(deployments) : deploymentLevels(deployments, all);
  const deleting = deletionLevels(removals);
  logLines(changedText({ levels: deploying, deletions: deleting }, all.length, undefined));
  // Deletions run after all deployments.
  const { levels, withoutRoom } = appendDeletionLevels(deploying, deleting);
  const stays = withoutRoom.map((each) =>
    notDeleted(each, "the workflow has no level or job left for it"),
  );
  annotate(stays, "warning", "QVS");
  // A preview compiles deployments with the same adapter in one job, and doesn't wait for an
  // approval.
  const matrix = buildMatrix(levels, preview ? "place" : "deployment");
  if (!matrix.ok) throw new UserError(matrix.problems);
  writeOutputs(listOutputs(levels.flat(), matrix.value), context);
  if (event.type === "pull_request" || levels.length === 0) return;
  // Finds the approvals once for all jobs, so that not every job sends the same requests to GitHub.
  const found = await findApprovals(event, inputs, context);
  if (found !== undefined) writeOutputs({ approvals: writeFoundApprovals(found) }, context);
  if (event.type !== "merge_group") showAwaitedApprovals(levels.flat(), found, inputs, context);
}

/** Writes the summary that reviewers of environments read before they approve the jobs. */
function showAwaitedApprovals(
  deployments: readonly Deployment[],
  found: FoundApprovals | undefined,
  { summary }: Inputs,
  context: ActionContext,
): void {
  const awaited = deployments.flatMap(({ name, environment }) => {
    if (environment === undefined) return [];
    const { approvals = [] } = found === undefined ? {} : selectApprovedPlans(found, name, "warn");
    return [{ name, environment, reviewedIn: approvals.map(({ by }) => by) }];
  });
  if (!summary || awaited.length === 0) return;
  writeSummary(renderAwaitedApprovals(awaited, readRepositoryUrl(context.env)), context);
}

/**
 * Writes the same outputs in addition to the result of another mode. It doesn't fail if the
 * deployments need more jobs than a workflow can have.
 */
export function writeListOutputs(
  levels: readonly (readonly Deployment[])[],
  { sent }: Pick<ActionContext, "sent">,
  jobFor: JobGrouping = "deployment",
): void {
  const matrix = buildMatrix(levels, jobFor);
  writeOutputs(listOutputs(levels.flat(), matrix.ok ? matrix.value : undefined), { sent });
}

function isPreview({ type }: GitHubEvent): boolean {
  return type === "pull_request" || type === "merge_group";
}

export function oneLevel(deployments: readonly Deployment[]): readonly (readonly Deployment[])[] {
  return deployments.length === 0 ? [] : [deployments];
}

interface ListedDeployments extends PushChanges {
  readonly all: readonly Deployment[];
  /** The deployments to delete at the end. */
  readonly removals: RemovedByPush;
  /** Lists the deployments that the push changed, also those of other jobs of the workflow. */
  readonly listTogether: () => Promise<readonly Deployment[]>;
}

export function deletionLevels({
  removed,
  before,
}: RemovedByPush): readonly (readonly Deployment[])[] {
  return levelsForDeletion(
    removed.map(({ deployment }) => deployment),
    before,
  );
}

async function listDeploymentsForEvent(
  event: GitHubEvent,
  inputs: Inputs,
  context: ActionContext,
): Promise<ListedDeployments> {
  if (event.type !== "pull_request" && event.type !== "merge_group")
    return listDeploymentsToDeploy(event, inputs, context);
  const { inline, choose, adjusted } = inputs;
  const { baseSha: base, headSha } = event;
  const options = { base, headSha, inline, choose, adjusted };
  const changed = await changedByPullRequest(context.world, options);
  const { deployments } = changed;
  return { ...changed, removals: nothingRemoved, listTogether: async () => deployments };
}

/**
 * Returns the deployments that a push changed, or all deployments that the inputs choose for other
 * events. Modes list and deploy share it, so they agree.
 */
export async function listDeploymentsToDeploy(
  event: GitHubEvent,
  inputs: Inputs,
  context: ActionContext,
): Promise<ListedDeployments> {
  const { world } = context;
  const { inline, choose, adjusted } = inputs;
  const listed = await listDeployments(world.source.tree, world.repositoryName, world.folder);
  if (!listed.ok) throw new UserError(listed.problems);
  // Adjusts the deployments before any comparison, because the removed ones are adjusted as well.
  const all = listed.value.map(adjusted);
  const before = commitBeforePush(event);
  const { removed, ...base } = await removedByPush(world, all, { before, adjusted });
  const known = [...all, ...removed.map(({ deployment }) => deployment)];
  const chosen = choose(all, known);
  const readsCluster = hasCluster(context, inputs);
  const push = { before, inline, adjusted, readsCluster };
  const isChosen = ({ deployment }: RemovedDeployment) => choose([deployment], known).length > 0;
  const removals = { ...base, removed: removed.filter(isChosen) };
  const { deployments, notices } = await changedByPush(world, chosen, push);
  const listTogether = async () => {
    const others = all.filter((each) => !chosen.includes(each));
    const changed = await changedByPush(world, others, push);
    return [...deployments, ...changed.deployments];
  };
  return { all, deployments, notices: [...notices, ...base.moved], removals, listTogether };
}

/**
 * Returns the outputs that jobs of a workflow read. The matrix is empty if the deployments need
 * more jobs than a workflow can have.
 */
function listOutputs(
  deployments: readonly Deployment[],
  matrix: Matrix | undefined,
): Readonly<Record<string, string>> {
  const environments = new Set(deployments.flatMap(({ environment }) => environment ?? []));
  return {
    deployments: JSON.stringify(deployments.map(({ name }) => name)),
    environments: JSON.stringify([...environments].sort()),
    matrix: matrix === undefined ? "" : JSON.stringify(matrix),
  };
}
