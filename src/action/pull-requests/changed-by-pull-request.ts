import type { Deployment } from "../../model/deployments/deployment.ts";
import { UserError } from "../../model/problems/errors.ts";
import type { World } from "../../ports/world.ts";
import { changedByPush } from "../../sources/changed-by-push.ts";
import { listDeployments } from "../../sources/list-deployments.ts";
import type { ChooseDeployments } from "../inputs/choose-deployments.ts";
import { type Base, openBase, type PullRequestCommits } from "./open-base.ts";

export interface PullRequestChoice extends PullRequestCommits {
  readonly inline: readonly string[];
  /** Chooses the deployments to compare. */
  readonly choose: ChooseDeployments;
  /**
   * Returns the deployment with the fields of its entry in deployments.yaml that the inputs
   * replace. Applied at both commits.
   */
  readonly adjusted: (deployment: Deployment) => Deployment;
}

/** Lists the deployments that a pull request changes or removes, without access to a cluster. */
export async function changedByPullRequest(world: World, options: PullRequestChoice) {
  const listed = await listDeployments(world.source.tree, world.repositoryName, world.folder);
  if (!listed.ok) throw new UserError(listed.problems);
  const base = await openBase(world, options);
  const known = [...listed.value, ...base.deployments];
  const chosen = options.choose(listed.value, known).map(options.adjusted);
  const push = { ...options, before: base.commit, readsCluster: false };
  const { deployments, notices } = await changedByPush(world, chosen, push);
  const removed = listRemoved(base, listed.value, options);
  return { all: known, deployments: [...deployments, ...removed], notices };
}

/** Returns the deployments that are listed at the base commit only. */
export function listRemoved(
  base: Base,
  listed: readonly Deployment[],
  { choose }: Pick<PullRequestChoice, "choose">,
): readonly Deployment[] {
  const present = new Set(listed.map(({ name }) => name));
  const known = [...listed, ...base.deployments];
  return choose(base.deployments, known).filter(({ name }) => !present.has(name));
}
