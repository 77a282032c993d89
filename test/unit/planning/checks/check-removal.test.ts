import { expect, test } from "vitest";
import type { DeploymentListing } from "../../../../src/model/deployments/deployment.ts";
import type { Release } from "../../../../src/model/deployments/release.ts";
import {
  createReleaseHistory,
  emptyHistory,
} from "../../../../src/model/deployments/release-history.ts";
import { checkRemoval } from "../../../../src/planning/checks/check-removal.ts";
import type { PlanningContext } from "../../../../src/planning/planning-context.ts";
import type { CommitRelation } from "../../../../src/ports/git.ts";
import { describeProblem } from "../../../support/describe-problem.ts";
import { release } from "../../../support/plan/release-from.ts";

/**
 * Returns the relation of two commits: single letters in the order of the branch; `?` isn't in any
 * clone.
 */
function relationOf(commit: string, other: string): CommitRelation {
  if (other === "?") return "unknown";
  if (other === "x") return "diverged";
  return commit === other ? "same" : commit < other ? "older" : "newer";
}

const notListed: DeploymentListing = { type: "not listed", commit: "f".repeat(40) };

function check(
  commit: string | undefined,
  releases: readonly Release[],
  told: DeploymentListing | undefined = notListed,
) {
  const removalContext = {
    compareCommits: async (a: string, b: string) => relationOf(a, b),
    listing: async () => told,
  };
  const context = {
    ...removalContext,
    source: { commit },
    deployment: { name: "shop", namespace: "prod" },
  };
  return checkRemoval(context as unknown as PlanningContext, createReleaseHistory(releases));
}

const manifest = { stage: "app", resource: "a", object: {}, dependsOn: [] } as const;

function at(revision: number, commit: string | undefined, more: Partial<Release> = {}): Release {
  const made = release(revision, "succeeded");
  return { ...made, expandedConfig: [manifest], source: { ...made.source, commit }, ...more };
}

const leftover = at(4, undefined, { expandedConfig: [], status: "failed" });

const cases: readonly (readonly [string, readonly Release[], string | undefined])[] = [
  ["the current release is older", [at(3, "b")], undefined],
  ["no release is current", [], undefined],
  ["an earlier deletion has failed halfway", [leftover, at(3, "b")], undefined],
  ["the current release is newer", [at(3, "d")], "older-commit"],
  ["a newer commit was partly deleted", [leftover, at(3, "d")], "older-commit"],
  ["this commit has created it again", [at(3, "c", { rollbackOf: 2 }), at(2, "b")], "older-commit"],
  ["the current release is from another branch", [at(3, "x")], "commit-order-unknown"],
  ["the clone lacks the commit", [at(3, "?")], "commit-order-unknown"],
  ["the current release has no commit", [at(3, undefined)], "commit-order-unknown"],
  [
    "the current release had uncommitted changes",
    [at(3, "b", { source: { ...at(3, "b").source, uncommitted: true } })],
    "commit-order-unknown",
  ],
];

test.each(cases)("a commit removes a deployment: %s", async (_, releases, expected) => {
  expect((await check("c", releases))[0]?.code).toBe(expected);
});

test.each([
  [at(3, "d"), 'Commit c, which removes "shop", is older than release 3\n  release 3: d'],
  [at(3, "c"), 'Commit c, which removes "shop", is also the commit of release 3\n  release 3: c'],
  [at(3, "x"), 'Commit c, which removes "shop", isn\'t a descendant of release 3\n  release 3: x'],
  [
    at(3, "?"),
    'Commit c, which removes "shop", might be older than release 3\n  release 3: ?\n  why: qvs can\'t find the order of the two commits here',
  ],
  [
    at(3, undefined),
    'Commit c, which removes "shop", might be older than release 3\n  release 3: no commit\n  why: Release 3 wasn\'t deployed from a commit',
  ],
])("the message shows the commit and the release", async (running, expected) => {
  const [problem] = await check("c", [running]);
  expect(problem && describeProblem(problem)).toBe(
    `${expected}\n  → Delete it manually if it is no longer needed: qvs delete -d shop -n prod`,
  );
});

test("a run without a commit removes nothing", async () => {
  expect((await check(undefined, [at(3, "b")]))[0]?.what).toBe(
    'The removal of "shop" might be older than release 3',
  );
});

const commit = "0123456789abcdef".repeat(2);
const listings: readonly (readonly [string, DeploymentListing, string | undefined])[] = [
  ["doesn't list it", notListed, undefined],
  [
    "lists it",
    { type: "listed", commit, otherList: undefined },
    'older-commit: "shop" is listed again. The newest commit of the branch, 0123456789ab, lists it',
  ],
  [
    "lists it in another directory",
    { type: "listed", commit, otherList: "b/.valuestream/deployments.yaml" },
    'older-commit: "shop" is listed again in b/.valuestream/deployments.yaml. The newest commit of the branch, 0123456789ab, lists it',
  ],
  [
    "is unknown",
    { type: "unknown", why: "GitHub answered 403", fix: "Give the job contents: read" },
    'commit-order-unknown: "shop" might be listed again on the branch. GitHub answered 403',
  ],
];

test.each(listings)("the newest commit of the branch %s", async (_, told, expected) => {
  const [problem] = await check("c", [at(3, "b")], told);
  expect(problem && `${problem.code}: ${problem.what}. ${problem.why}`).toBe(expected);
});

test("the deployment stays if the list of the branch is unknown", async () => {
  const context = { source: { commit: "c" }, deployment: { name: "shop" } };
  const [problem] = await checkRemoval(context as unknown as PlanningContext, emptyHistory);
  expect(problem?.what).toBe('"shop" might be listed again on the branch');
  expect(problem?.why).toBe("qvs has no branch whose list it could read");
});
