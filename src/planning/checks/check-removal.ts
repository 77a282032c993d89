import type { Deployment } from "../../model/deployment.ts";
import type { Problem } from "../../model/problems/problem.ts";
import type { Release } from "../../model/release.ts";
import { commitName, commitOf, releasesToFollow } from "../../releases/running-release.ts";
import type { PlanningContext } from "../planning-context.ts";

/**
 * What keeps a commit from deleting a deployment that it has removed: only one that follows what runs has seen what it removes. A run
 * that was started again for an old commit would otherwise delete what a newer one has brought back. Unlike for a deployment, a doubt
 * is enough (docs/reference/deployments-yaml.md#removed-deployments).
 */
export async function checkRemoval(
  { order, source, deployment }: PlanningContext,
  releases: readonly Release[],
): Promise<readonly Problem[]> {
  const listed = await listedAgain(order, deployment);
  const followed = releasesToFollow(releases.filter((release) => !isOfDeletion(release)));
  const problems: Problem[] = [];
  for (const running of followed) {
    const { commit, uncommitted } = commitOf(running);
    const isKnown = commit !== undefined && source.commit !== undefined && uncommitted !== true;
    const relation = isKnown ? await order?.relationOf(source.commit, commit) : "unknown";
    if (relation === "newer") continue;
    const runs = `release ${running.revision} of "${deployment.name}" comes from ${commit === undefined ? "no commit" : commitName(commitOf(running))}`;
    problems.push({
      code: relation === "older" || relation === "same" ? "older-commit" : "commit-order-unknown",
      where: [],
      what: `${runs}, and the commit that removes it, ${commitName(source)}, does not follow that`,
      fix: "Check that it is meant to be deleted",
    });
  }
  return [...listed, ...problems.slice(0, 1)];
}

/** Asked under the lock, since the branch may have moved on while this run waited for it. Whoever is not told otherwise keeps it. */
async function listedAgain(
  order: PlanningContext["order"],
  deployment: Deployment,
): Promise<readonly Problem[]> {
  const told = await order?.listing?.(deployment);
  if (told?.type === "not listed") return [];
  if (told?.type === "listed") {
    const where = told.elsewhere === undefined ? "" : ` in ${told.elsewhere}`;
    const what = `the newest commit of the branch, ${told.commit.slice(0, 12)}, lists it again${where}`;
    return [{ code: "older-commit", where: [], what, fix: "Nothing is to be done" }];
  }
  const { why, fix } = told ?? { why: "there is no branch to ask", fix: "Delete it by hand" };
  const what = `whether the branch lists it again is not known: ${why}`;
  return [{ code: "commit-order-unknown", where: [], what, fix }];
}

/** What an earlier attempt has left: it declares nothing, and comes from no commit. */
function isOfDeletion({ expandedConfig, rollbackOf, source }: Release): boolean {
  return expandedConfig.length === 0 && rollbackOf === undefined && source.commit === undefined;
}
