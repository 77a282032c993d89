import type { Deployment } from "../model/deployment.ts";
import type { Problem } from "../model/problems/problem.ts";
import { deleteCommand } from "../model/text/delete-command.ts";
import type { World } from "../ports/world.ts";
import { commitTreeAt } from "./commit-source.ts";
import { isListed, listDeployments } from "./list-deployments.ts";

export interface PushOfRemoval {
  /** The branch's commit before the push; undefined when it is new. */
  readonly before: string | undefined;
  /** Name of the branch; undefined where nobody knows it. */
  readonly branch: string | undefined;
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
}

const nothingRemoved: RemovedByPush = { removed: [], before: [] };

/**
 * What a push has removed from the list and asks to be deleted. The setting counts as it was before the push: the entry is gone in
 * what was pushed, and one change must not both switch to deleting and delete (docs/reference/config.md#removed-deployments).
 */
export async function removedByPush(
  world: World,
  listed: readonly Deployment[],
  { before, branch, adjusted }: PushOfRemoval,
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
  const gone = base.value.filter(
    ({ name, onRemoved }) => onRemoved === "delete" && !present.has(name),
  );
  if (gone.length === 0) return nothingRemoved;
  const doubt = await doubtOf(world, before);
  const later = await listedLater(world, branch);
  const removed = gone.map(adjusted).map((deployment) => {
    const why = doubt ?? later(deployment.name);
    return {
      deployment,
      keptBecause: why === undefined ? undefined : notDeleted(deployment, why),
    };
  });
  return { removed, before: base.value.map(adjusted) };
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

/** Why a deployment that was removed here is to stay, by what the branch holds by now. */
async function listedLater(
  world: World,
  branch: string | undefined,
): Promise<(name: string) => string | undefined> {
  const { repository, repositoryName, folder } = world;
  const tip = branch === undefined ? undefined : await repository?.tipAtOrigin(branch);
  if (tip === undefined || tip === (await repository?.resolve("HEAD"))) return () => undefined;
  const listed = await listDeployments(
    (await commitTreeAt(world, tip)).tree,
    repositoryName,
    folder,
  );
  const short = tip.slice(0, 12);
  if (!listed.ok) return () => `the newest commit of the branch, ${short}, has a list with errors`;
  const names = new Set(listed.value.map(({ name }) => name));
  return (name) =>
    names.has(name) ? `the newest commit of the branch, ${short}, lists it again` : undefined;
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
