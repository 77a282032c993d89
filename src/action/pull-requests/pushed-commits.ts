import type { GitHubClient } from "../../io/github/client.ts";
import type { PushEvent } from "../../io/github/event.ts";
import { listPushCommits } from "../../io/github/pull-request.ts";
import type { ActionContext } from "../context.ts";

/**
 * The most commits to look at. A merge queue pushes several at once, and a merged branch can add
 * any number.
 */
const maxCommits = 50;

/**
 * Returns the commits of a push, newest first. Returns only the newest commit if the branch is new
 * or its previous commit no longer exists.
 * The clone has no page limit, so qvs uses GitHub's comparison only if the clone lacks the previous
 * commit.
 */
export async function pushedCommits(
  client: GitHubClient,
  { before, after }: Pick<PushEvent, "before" | "after">,
  { repository, world }: Pick<ActionContext, "repository" | "world">,
): Promise<readonly string[]> {
  const inClone = await world.repository?.commitsSince(before, after, maxCommits);
  if (inClone !== undefined) return inClone;
  if (/^0+$/.test(before)) return [after];
  try {
    return (await listPushCommits(client, repository, before, after)).slice(0, maxCommits);
  } catch {
    return [after];
  }
}
