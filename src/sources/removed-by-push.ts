import type { Deployment } from "../model/deployment.ts";
import type { Problem } from "../model/problems/problem.ts";
import { deleteCommand } from "../model/text/delete-command.ts";
import type { World } from "../ports/world.ts";
import { commitTreeAt } from "./commit-source.ts";
import { otherLists } from "./find-listing.ts";
import { isListed, listDeployments } from "./list-deployments.ts";

export interface PushOfRemoval {
  /** The branch's commit before the push; undefined when it is new. */
  readonly before: string | undefined;
  readonly adjusted: (deployment: Deployment) => Deployment;
}

/** A deployment that the commit before a push lists with `on-removed: delete`, and the pushed one lists no more. */
export interface Removed {
  readonly deployment: Deployment;
  /** Why it is not deleted, whoever has approved it; undefined where nothing of that kind is known. */
  readonly keptBecause: Problem | undefined;
}

export interface RemovedByPush {
  readonly removed: readonly Removed[];
  /** All that the commit before the push lists: what is removed depends on some of these. */
  readonly before: readonly Deployment[];
  /** What is no longer listed here and is listed in another folder, which is no removal. */
  readonly moved: readonly Problem[];
}

export const nothingRemoved: RemovedByPush = { removed: [], before: [], moved: [] };

/**
 * What a push has removed from the list and asks to be deleted. The setting counts as it was before the push: the entry is gone in
 * what was pushed, and one change must not both switch to deleting and delete (docs/reference/deployments-yaml.md#removed-deployments).
 */
export async function removedByPush(
  world: World,
  listed: readonly Deployment[],
  { before, adjusted }: PushOfRemoval,
): Promise<RemovedByPush> {
  const { repository, repositoryName, folder } = world;
  if (before === undefined || (await repository?.resolve(before)) === undefined) {
    return nothingRemoved;
  }
  const base = await listDeployments(
    (await commitTreeAt(world, before)).tree,
    repositoryName,
    folder,
  );
  if (!base.ok) return nothingRemoved;
  const present = new Set(listed.map(({ name }) => name));
  const gone = base.value
    .filter(({ name, onRemoved }) => onRemoved === "delete" && !present.has(name))
    .map(adjusted);
  if (gone.length === 0) return nothingRemoved;
  const others = await otherLists(world.source.tree, folder, adjusted);
  const doubt =
    (await doubtOf(world, before)) ?? (others.ok ? undefined : `this commit ${others.why}`);
  const nowIn = (deployment: Deployment) => (others.ok ? others.fileOf(deployment) : undefined);
  const removed = gone
    .filter((each) => nowIn(each) === undefined)
    .map((deployment) => ({
      deployment,
      keptBecause: doubt === undefined ? undefined : notDeleted(deployment, doubt),
    }));
  const moved = gone.flatMap((each) => movedTo(each, nowIn(each)));
  return { removed, before: base.value.map(adjusted), moved };
}

/** One line for a deployment that the list of another folder has. */
export function movedTo(deployment: Deployment, file: string | undefined): readonly Problem[] {
  if (file === undefined) return [];
  const what = `"${deployment.name}" is now listed in ${file}, so it counts as moved and not as removed, and nothing of it is deleted`;
  const fix = `Nothing is to be done. If that is another deployment, in another cluster, this one can be deleted with: ${deleteCommand(deployment)}`;
  return [{ code: "moved-deployment", where: [], what, fix }];
}

/** Why the two commits don't tell what somebody has removed; undefined where they do. */
async function doubtOf(world: World, before: string): Promise<string | undefined> {
  const { repository, source, folder } = world;
  const head = (await repository?.resolve("HEAD")) ?? "";
  if ((await repository?.relation(before, head)) !== "older") {
    return "the branch was rewritten, or this clone does not have its history, so nobody can tell that it was meant to be removed";
  }
  if (await isListed(source.tree, folder)) return undefined;
  return "the whole list of deployments was removed";
}

/** That a deployment stays although its removal was to delete it, with the command that deletes it by hand. */
export function notDeleted(deployment: Deployment, why: string, digest?: string): Problem {
  const { name, namespace } = deployment;
  const looksFirst = digest === undefined ? "; it shows first what it deletes" : "";
  return {
    code: "removed-not-deleted",
    where: [],
    what: `"${name}" was removed and is not deleted, so what it deployed stays in namespace ${namespace}: ${why}`,
    fix: `To delete it, run: ${deleteCommand(deployment, digest)}${looksFirst}`,
  };
}
