import type { Deployment } from "../../model/deployment.ts";
import { UserError } from "../../model/problems/errors.ts";
import type { World } from "../../ports/world.ts";
import { changedByPush } from "../../sources/changed-by-push.ts";
import { listDeployments } from "../../sources/list-deployments.ts";
import type { ChooseDeployments } from "../inputs/choose-deployments.ts";
import { type Base, openBase, type PullRequestCommits } from "./base.ts";

export interface PullRequestChoice extends PullRequestCommits {
  readonly inline: readonly string[];
  /** Which deployments are looked at. */
  readonly choose: ChooseDeployments;
  /** The deployment with what the inputs replace of its entry in deployments.yaml, at both commits. */
  readonly adjusted: (deployment: Deployment) => Deployment;
}

/** The deployments that a pull request changes or removes, without a look at any cluster. */
export async function changedByPullRequest(world: World, options: PullRequestChoice) {
  const listed = await listDeployments(world.source.tree, world.repositoryName, world.folder);
  if (!listed.ok) throw new UserError(listed.problems);
  const base = await openBase(world, options);
  const known = [...listed.value, ...base.deployments];
  const chosen = options.choose(listed.value, known).map(options.adjusted);
  const push = { ...options, before: base.commit, readsCluster: false };
  const { deployments, notices } = await changedByPush(world, chosen, push);
  const removed = removedFrom(base, listed.value, options);
  return { all: known, deployments: [...deployments, ...removed], notices };
}

/** Those that were listed at the base and are no more. */
export function removedFrom(
  base: Base,
  listed: readonly Deployment[],
  { choose }: Pick<PullRequestChoice, "choose">,
): readonly Deployment[] {
  const present = new Set(listed.map(({ name }) => name));
  const known = [...listed, ...base.deployments];
  return choose(base.deployments, known).filter(({ name }) => !present.has(name));
}
