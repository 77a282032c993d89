import { expect, test } from "vitest";
import type { PlanningRequest } from "../../../../src/model/deployments/deploy-request.ts";
import type { DeploymentListing } from "../../../../src/model/deployments/deployment.ts";
import type { Release } from "../../../../src/model/deployments/release.ts";
import { createReleaseHistory } from "../../../../src/model/deployments/release-history.ts";
import type { Problem } from "../../../../src/model/problems/problem.ts";
import { checkCommitOrder } from "../../../../src/planning/checks/check-commit-order.ts";
import type { PlanningContext } from "../../../../src/planning/planning-context.ts";
import { release } from "../../../support/plan/release-from.ts";

/**
 * Returns the result for a deployment that a newer commit might have removed from the list. Its
 * releases don't show that.
 */
async function checkListed(
  listing: DeploymentListing | undefined,
  releases: readonly Release[] = [],
  whenOlder: PlanningRequest["whenOlder"] = "supersede",
): Promise<string> {
  const context = {
    request: { whenOlder },
    compareCommits: async () => "newer",
    ...(listing === undefined ? {} : { listing: async () => listing }),
    source: { commit: "c" },
    deployment: { name: "web" },
  };
  const checked = await checkCommitOrder(
    context as unknown as PlanningContext,
    createReleaseHistory(releases),
  );
  const { superseded, notices, blockers } = checked;
  expect(blockers).toEqual([]);
  if (superseded !== undefined) return `skipped: ${inShort(superseded)}`;
  return notices.map((each) => `deploys: ${inShort(each)}`)[0] ?? "deploys";
}

function inShort({ code, what, why }: Problem): string {
  return `${code}: ${what}. ${why}`;
}

const commit = "0123456789abcdef".repeat(2);
const notListed: DeploymentListing = { type: "not listed", commit };
const notListedText =
  'deployment-not-listed: "web" is no longer listed on the branch. The newest commit of the branch, 0123456789ab, doesn\'t list it, and it has no release';
const leftover: Release = { ...release(4, "failed"), expandedConfig: [], source: emptySource() };

function emptySource(): Release["source"] {
  return { ...release(4, "failed").source, commit: undefined };
}

const cases: readonly (readonly [string, Promise<string>, string])[] = [
  ["the branch lists it", checkListed({ type: "listed", commit, otherList: undefined }), "deploys"],
  ["the branch no longer lists it", checkListed(notListed), `skipped: ${notListedText}`],
  ["a user has restarted it", checkListed(notListed, [], "refuse"), `skipped: ${notListedText}`],
  ["a flag allows older commits", checkListed(notListed, [], "allow"), `deploys: ${notListedText}`],
  [
    "a release shows the current commit",
    checkListed(notListed, [release(3, "succeeded")]),
    "deploys",
  ],
  [
    "a deletion has kept some objects",
    checkListed(notListed, [leftover]),
    `skipped: ${notListedText}`,
  ],
  ["the branch is unknown", checkListed(undefined), "deploys"],
  [
    "GitHub gives no answer",
    checkListed({ type: "unknown", why: "GitHub can't be reached", fix: "Try again" }),
    'deploys: commit-order-unknown: "web" might no longer be listed on the branch. GitHub can\'t be reached',
  ],
];

test.each(cases)("a deployment without a release: %s", async (_, listing, expected) => {
  expect(await listing).toBe(expected);
});
