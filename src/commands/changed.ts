import { deletionLevelsOf, levelsOf } from "../config/deployment-levels.ts";
import type { Deployment } from "../model/deployment.ts";
import { UserError } from "../model/problems/errors.ts";
import type { Problem } from "../model/problems/problem.ts";
import type { World } from "../ports/world.ts";
import { changedByPush } from "../sources/changed-by-push.ts";
import { commitTreeAt } from "../sources/commit-source.ts";
import { listDeployments, nothingToDeploy } from "../sources/list-deployments.ts";
import { removedByPush } from "../sources/removed-by-push.ts";

export interface ChangedOptions {
  /** What to compare the checked out commit with; undefined takes every deployment. */
  readonly base: string | undefined;
  readonly inline: readonly string[];
  readonly adjusted: (deployment: Deployment) => Deployment;
  /** Whether the cluster is asked for what earlier pushes left undone. */
  readonly readsCluster: boolean;
}

/** Deployments by what they wait for; those of a level wait for earlier ones only. */
export interface Changed {
  readonly levels: readonly (readonly Deployment[])[];
  /** What was removed and is deleted after that, dependants first. */
  readonly deletions: readonly (readonly Deployment[])[];
  /** How many there are, changed or not. */
  readonly listed: number;
  readonly notices: readonly Problem[];
}

/**
 * What a push from `base` to the checked out commit would deploy, as the Action finds it. Commits are compared, so that what is not
 * committed does not count.
 */
export async function changed(world: World, options: ChangedOptions): Promise<Changed> {
  const { base, adjusted } = options;
  const before = base === undefined ? undefined : await commitOf(world, base);
  const compared = before === undefined ? world : await atHead(world);
  const listed = await listDeployments(compared.source.tree, world.repositoryName, world.folder);
  if (!listed.ok) throw new UserError(listed.problems);
  if (listed.value.length === 0) throw nothingToDeploy();
  const all = listed.value.map(adjusted);
  const push = { ...options, before };
  const { deployments, notices } = await changedByPush(compared, all, push);
  const removedFrom = { before, adjusted };
  const { removed, before: earlier, moved } = await removedByPush(compared, all, removedFrom);
  const toDelete = removed.map(({ deployment }) => deployment);
  const deletions = deletionLevelsOf(toDelete, earlier);
  const told = [...notices, ...moved];
  return { levels: levelsOf(deployments, all), deletions, listed: all.length, notices: told };
}

/** Throws a UserError for what is no commit of this clone: a push may come from anywhere, a person means one that is there. */
async function commitOf(world: World, revision: string): Promise<string> {
  await commitTreeAt(world, revision);
  return (await world.repository?.resolve(revision)) ?? revision;
}

async function atHead(world: World): Promise<World> {
  const { past: _, ...source } = await commitTreeAt(world, "HEAD");
  return { ...world, source };
}
