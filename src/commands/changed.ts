import { deploymentLevels, levelsForDeletion } from "../config/deployment-levels.ts";
import type { Deployment } from "../model/deployments/deployment.ts";
import { UserError } from "../model/problems/errors.ts";
import type { Problem } from "../model/problems/problem.ts";
import type { World } from "../ports/world.ts";
import { changedByPush } from "../sources/changed-by-push.ts";
import { openCommitSource } from "../sources/commit-source.ts";
import { listDeployments, nothingToDeploy } from "../sources/list-deployments.ts";
import { removedByPush } from "../sources/removed-by-push.ts";

export interface ChangedOptions {
  /** The commit to compare with; undefined selects all deployments. */
  readonly base: string | undefined;
  /**
   * The files to compare with: those that a push contains, or those that a command on this machine
   * deploys.
   */
  readonly compares: "HEAD" | "working tree";
  readonly inline: readonly string[];
  readonly adjusted: (deployment: Deployment) => Deployment;
  /** True to look in the cluster for changes that earlier pushes didn't deploy. */
  readonly readsCluster: boolean;
}

/** The changed deployments in levels. Each level depends only on earlier ones. */
export interface Changed {
  readonly levels: readonly (readonly Deployment[])[];
  /**
   * The removed deployments, which are deleted at the end. Dependents come before their
   * dependencies.
   */
  readonly deletions: readonly (readonly Deployment[])[];
  /** The number of listed deployments, changed or not. */
  readonly listed: number;
  readonly notices: readonly Problem[];
}

/**
 * Finds the deployments that changed since `base`. Compared with HEAD, they are those that the
 * Action would deploy after a push: a push contains no uncommitted changes.
 */
export async function changed(world: World, options: ChangedOptions): Promise<Changed> {
  const { base, compares, adjusted } = options;
  const before = base === undefined ? undefined : await resolveCommit(world, base);
  const isCommit = before !== undefined && compares === "HEAD";
  const compared = isCommit ? await openHead(world) : world;
  const listed = await listDeployments(compared.source.tree, world.repositoryName, world.folder);
  if (!listed.ok) throw new UserError(listed.problems);
  if (listed.value.length === 0) throw nothingToDeploy();
  const all = listed.value.map(adjusted);
  const push = { ...options, before };
  const { deployments, notices } = await changedByPush(compared, all, push);
  const removedFrom = { before, adjusted };
  const {
    removed,
    before: previouslyListed,
    moved,
  } = await removedByPush(compared, all, removedFrom);
  const toDelete = removed.map(({ deployment }) => deployment);
  const deletions = levelsForDeletion(toDelete, previouslyListed);
  const allNotices = [...notices, ...moved];
  return {
    levels: deploymentLevels(deployments, all),
    deletions,
    listed: all.length,
    notices: allNotices,
  };
}

/**
 * Resolves a revision. Throws a UserError if the clone doesn't contain it: unlike for a push, the
 * user must have named an existing commit.
 */
async function resolveCommit(world: World, revision: string): Promise<string> {
  await openCommitSource(world, revision);
  return (await world.repository?.resolve(revision)) ?? revision;
}

async function openHead(world: World): Promise<World> {
  const { past: _, ...source } = await openCommitSource(world, "HEAD");
  return { ...world, source };
}
