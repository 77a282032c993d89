import type { Deployment } from "../../model/deployments/deployment.ts";
import type { Release } from "../../model/deployments/release.ts";
import {
  createReleaseHistory,
  isDeletionRelease,
  type ReleaseHistory,
} from "../../model/deployments/release-history.ts";
import type { Problem } from "../../model/problems/problem.ts";
import { deleteCommand } from "../../model/text/qvs-commands.ts";
import type { CommitRelation } from "../../ports/git.ts";
import { commitName, deployedCommit, releasesToFollow } from "../../releases/current-release.ts";
import type { PlanningContext } from "../planning-context.ts";
import { unknownOrder } from "./check-commit-order.ts";

/**
 * Checks that the commit that removes a deployment is newer than the current release.
 * Only such a commit knows everything that it removes. A restarted run of an old commit could
 * otherwise delete a deployment that a newer commit has added again. Unlike for a deployment, an
 * unknown order is enough to block (docs/reference/deployments-yaml.md#removed-deployments).
 */
export async function checkRemoval(
  context: PlanningContext,
  { releases }: ReleaseHistory,
): Promise<readonly Problem[]> {
  const { source } = context;
  const listed = await checkListedAgain(context);
  const precedingReleases = releasesToFollow(
    createReleaseHistory(releases.filter((release) => !isDeletionRelease(release))),
  );
  const problems: Problem[] = [];
  for (const release of precedingReleases) {
    const { commit, uncommitted } = deployedCommit(release);
    const isKnown = commit !== undefined && source.commit !== undefined && uncommitted !== true;
    const known = isKnown ? await context.compareCommits(source.commit, commit) : undefined;
    if (known === "newer") continue;
    problems.push(removalProblem(release, known ?? "unknown", context));
  }
  return [...listed, ...problems.slice(0, 1)];
}

type Removal = Pick<PlanningContext, "source" | "deployment">;

function removalProblem(
  current: Release,
  relation: Exclude<CommitRelation, "newer">,
  { source, deployment }: Removal,
): Problem {
  const { commit } = deployedCommit(current);
  const release = `release ${current.revision}`;
  const { code, is } = comparisons[relation];
  return {
    code,
    where: [],
    what: `${removalSubject(source, deployment)} ${is} ${release}`,
    why: relation === "unknown" ? unknownOrderReason(current, source.commit) : undefined,
    facts: [
      {
        label: release,
        value: commit === undefined ? "no commit" : commitName(deployedCommit(current)),
      },
    ],
    fix: deleteManually(deployment),
  };
}

const comparisons = {
  older: { code: "older-commit", is: "is older than" },
  same: { code: "older-commit", is: "is also the commit of" },
  diverged: { code: "commit-order-unknown", is: "isn't a descendant of" },
  unknown: { code: "commit-order-unknown", is: "might be older than" },
} as const;

function removalSubject(source: PlanningContext["source"], { name }: Deployment): string {
  return source.commit === undefined
    ? `The removal of "${name}"`
    : `Commit ${commitName(source)}, which removes "${name}",`;
}

function unknownOrderReason(current: Release, commit: string | undefined): string {
  if (commit === undefined) return "The config that removes it isn't part of a Git commit";
  const deployed = deployedCommit(current);
  const { revision } = current;
  if (deployed.commit === undefined) return `Release ${revision} wasn't deployed from a commit`;
  return deployed.uncommitted === true
    ? `Release ${revision} was deployed with uncommitted changes`
    : unknownOrder;
}

function deleteManually(deployment: Deployment): string {
  return `Delete it manually if it is no longer needed: ${deleteCommand(deployment)}`;
}

/**
 * Checks that the newest commit of the branch doesn't list the deployment again.
 * The check runs under the lock, because the branch can change while the run waits for the lock. If
 * the answer is unknown, qvs keeps the deployment.
 */
async function checkListedAgain({
  deployment,
  listing,
}: PlanningContext): Promise<readonly Problem[]> {
  const found = await listing?.(deployment);
  const { name } = deployment;
  if (found?.type === "not listed") return [];
  if (found?.type === "listed") {
    const where = found.otherList === undefined ? "" : ` in ${found.otherList}`;
    const what = `"${name}" is listed again${where}`;
    const why = `The newest commit of the branch, ${found.commit.slice(0, 12)}, lists it`;
    const fix = `Nothing to do: qvs keeps "${name}"`;
    return [{ code: "older-commit", where: [], what, why, fix }];
  }
  const { why, fix } = found ?? {
    why: "qvs has no branch whose list it could read",
    fix: deleteManually(deployment),
  };
  const what = `"${name}" might be listed again on the branch`;
  return [{ code: "commit-order-unknown", where: [], what, why, fix }];
}
