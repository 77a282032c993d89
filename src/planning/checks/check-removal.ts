import type { Deployment } from "../../model/deployment.ts";
import type { Problem } from "../../model/problems/problem.ts";
import type { Release } from "../../model/release.ts";
import { commitName, commitOf, releasesToFollow } from "../../releases/running-release.ts";
import type { PlanningContext } from "../planning-context.ts";

/**
 * Checks that the commit that removes a deployment is newer than the current release.
 * Only such a commit knows everything that it removes. A restarted run of an old commit could
 * otherwise delete a deployment that a newer commit has added again. Unlike for a deployment, an
 * unknown order is enough to block (docs/reference/deployments-yaml.md#removed-deployments).
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

/**
 * Checks that the newest commit of the branch doesn't list the deployment again.
 * The check runs under the lock, because the branch can change while the run waits for the lock. If
 * the answer is unknown, qvs keeps the deployment.
 */
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

/**
 * Reports whether an earlier attempt to delete the deployment left this release.
 * Such a release declares nothing and has no commit.
 */
function isOfDeletion({ expandedConfig, rollbackOf, source }: Release): boolean {
  return expandedConfig.length === 0 && rollbackOf === undefined && source.commit === undefined;
}
