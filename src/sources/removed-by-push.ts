import type { Deployment } from "../model/deployments/deployment.ts";
import type { Problem } from "../model/problems/problem.ts";
import { deleteCommand } from "../model/text/qvs-commands.ts";
import type { World } from "../ports/world.ts";
import { openCommitSource } from "./commit-source.ts";
import { otherLists } from "./find-listing.ts";
import { isListed, listDeployments } from "./list-deployments.ts";

export interface RemovalPush {
  /** The commit of the branch before the push; undefined for a new branch. */
  readonly before: string | undefined;
  readonly adjusted: (deployment: Deployment) => Deployment;
}

/**
 * A deployment that the commit before a push lists with `on-removed: delete`, and that the pushed
 * commit doesn't list.
 */
export interface RemovedDeployment {
  readonly deployment: Deployment;
  /**
   * The reason why qvs doesn't delete it even if the deletion is approved; undefined if there is
   * none.
   */
  readonly keptBecause: Problem | undefined;
}

export interface RemovedByPush {
  readonly removed: readonly RemovedDeployment[];
  /**
   * All deployments that the commit before the push lists. Removed deployments depend on some of
   * them.
   */
  readonly before: readonly Deployment[];
  /** The deployments that another directory now lists, which isn't a removal. */
  readonly moved: readonly Problem[];
}

export const nothingRemoved: RemovedByPush = { removed: [], before: [], moved: [] };

/**
 * Returns the deployments that a push removed from the list and that must be deleted.
 * The setting before the push counts, because the pushed commit no longer contains the entry. One
 * change must not both set `delete` and remove the entry
 * (docs/reference/deployments-yaml.md#removed-deployments).
 */
export async function removedByPush(
  world: World,
  listed: readonly Deployment[],
  { before, adjusted }: RemovalPush,
): Promise<RemovedByPush> {
  const { repository, repositoryName, folder } = world;
  if (before === undefined || (await repository?.resolve(before)) === undefined) {
    return nothingRemoved;
  }
  const base = await listDeployments(
    (await openCommitSource(world, before)).tree,
    repositoryName,
    folder,
  );
  if (!base.ok) return nothingRemoved;
  const present = new Set(listed.map(({ name }) => name));
  const candidates = base.value
    .filter(({ name, onRemoved }) => onRemoved === "delete" && !present.has(name))
    .map(adjusted);
  if (candidates.length === 0) return nothingRemoved;
  const others = await otherLists(world.source.tree, folder, adjusted);
  const uncertainty =
    (await uncertainRemovalReason(world, before)) ??
    (others.ok ? undefined : `this commit ${others.why}`);
  const findNewList = (deployment: Deployment) =>
    others.ok ? others.fileOf(deployment) : undefined;
  const removed = candidates
    .filter((each) => findNewList(each) === undefined)
    .map((deployment) => ({
      deployment,
      keptBecause: uncertainty === undefined ? undefined : notDeleted(deployment, uncertainty),
    }));
  const moved = candidates.flatMap((each) => movedNotice(each, findNewList(each)));
  return { removed, before: base.value.map(adjusted), moved };
}

/** Returns a notice about a deployment that the list of another directory contains. */
export function movedNotice(deployment: Deployment, file: string | undefined): readonly Problem[] {
  if (file === undefined) return [];
  return [
    {
      code: "moved-deployment",
      where: [],
      what: `Deployment "${deployment.name}" is now listed in ${file}`,
      why: "qvs treats it as moved, not as removed",
      fix: "Nothing to do: qvs deletes none of its objects",
      otherwise: [
        `delete it if the listed one is another deployment in another cluster: ${deleteCommand(deployment)}`,
      ],
    },
  ];
}

/**
 * Returns the reason why the two commits don't show which entries a user removed; undefined if they
 * do.
 */
async function uncertainRemovalReason(world: World, before: string): Promise<string | undefined> {
  const { repository, source, folder } = world;
  const head = (await repository?.resolve("HEAD")) ?? "";
  if ((await repository?.relation(before, head)) !== "older") {
    return "the branch was rewritten or this clone lacks its history, so qvs can't tell whether the removal was intended";
  }
  if (await isListed(source.tree, folder)) return undefined;
  return "the whole list of deployments was removed";
}

/**
 * Reports that a removed deployment with `on-removed: delete` isn't deleted, with the command to
 * delete it manually.
 */
export function notDeleted(deployment: Deployment, why: string, digest?: string): Problem {
  const { name, namespace } = deployment;
  const purpose = digest === undefined ? "list its objects and delete them" : "delete it";
  return {
    code: "removed-not-deleted",
    where: [],
    what: `Removed deployment "${name}" stays in namespace ${namespace}`,
    why,
    fix: `Run this to ${purpose}: ${deleteCommand(deployment, digest)}`,
  };
}
