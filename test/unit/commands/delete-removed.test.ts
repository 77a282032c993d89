import { expect, test } from "vitest";
import {
  blocksLaterJobs,
  deleteRemoved,
  type Removals,
} from "../../../src/commands/delete-removed.ts";
import type { DeploymentOutcome } from "../../../src/commands/several/deploy-changed.ts";
import type { DeployOutcome } from "../../../src/deploying/deploy-outcome.ts";
import { defaultRequest } from "../../../src/model/deployments/deploy-request.ts";
import type { Deployment, DeploymentListing } from "../../../src/model/deployments/deployment.ts";
import type { ApprovedPlans } from "../../../src/model/plan/approval.ts";
import { userError } from "../../../src/model/problems/errors.ts";
import type { World } from "../../../src/ports/world.ts";
import { shopDeployment } from "../../support/shop/shop-report.ts";

/** A cluster that can't be opened, so that each access to it is reported. */
const world = {
  signal: new AbortController().signal,
  hasChanged: () => false,
  target: async () => {
    throw userError("cluster-unreachable", "no cluster", "Try again");
  },
} as unknown as World;

function named(name: string, ...dependsOn: readonly string[]): Deployment {
  return { ...shopDeployment({ name, dependsOn }), onRemoved: "delete" };
}

interface Case {
  readonly before: readonly Deployment[];
  readonly removed: readonly string[];
  readonly listed?: readonly Deployment[];
  readonly deployed?: readonly DeploymentOutcome[];
  readonly approved?: ApprovedPlans["approvals"];
}

function removalsOf({ before, removed, listed = [], approved = [] }: Case): Removals {
  const deleted = before.filter(({ name }) => removed.includes(name));
  return {
    byPush: {
      removed: deleted.map((deployment) => ({ deployment, keptBecause: undefined })),
      before,
      moved: [],
    },
    listed,
    request: defaultRequest,
    listing: async (): Promise<DeploymentListing> => {
      throw new Error("no listing is looked up");
    },
    approvedOf: () => ({ policy: "warn", approvals: approved, missing: ["no token"] }),
  };
}

async function deleteRemovedLines(stage: Case): Promise<readonly string[]> {
  const outcomes = await deleteRemoved(world, removalsOf(stage), stage.deployed ?? []);
  return outcomes.map((each) => {
    const why =
      each.type === "not deleted"
        ? (each.why.why ?? each.why.what.replace(/.*namespace \S+: /, ""))
        : "";
    const problem = each.type === "refused" ? each.problems[0]?.what : why;
    return `${each.deployment.name} ${each.type}: ${problem}`;
  });
}

const before = [named("database"), named("web", "database")];
const removed = ["database", "web"];
const unapproved = "no merged pull request showed its deletion; no token";
const approval = (operations?: readonly string[]) => [
  { by: "#7", digest: "a".repeat(64), operations },
];
const codeOf = (letter: string) => `${letter}${"A".repeat(17)}`;
const done = (name: string, succeeded: boolean): DeploymentOutcome => {
  const outcome = { type: "deployed", result: { succeeded } } as DeployOutcome;
  return { type: "done", deployment: named(name), outcome };
};

const skipped = (name: string, code: "older-commit" | "run-superseded"): DeploymentOutcome => {
  const why = { code, where: [], what: `${name} is not for this run`, fix: "Nothing" };
  return { type: "done", deployment: named(name), outcome: { type: "superseded", why } };
};
const kept = (deployment: Deployment): Deployment => ({ ...deployment, onRemoved: "keep" });

const cases: readonly (readonly [string, Case, readonly string[]])[] = [
  [
    "a deletion without approval keeps the deployment and its dependencies",
    { before, removed },
    [`web not deleted: ${unapproved}`, "database not deleted: web depends on it and still exists"],
  ],
  [
    "the approval of its deployment doesn't approve its deletion",
    { before, removed: ["web"], approved: approval([codeOf("u")]), listed: [named("database")] },
    [`web not deleted: ${unapproved}`],
  ],
  [
    "an approved deletion runs if the cluster can be opened",
    { before, removed: ["web"], approved: approval([codeOf("d")]), listed: [named("database")] },
    ["web refused: no cluster"],
  ],
  [
    "an approved deletion runs with the hooks that its comment showed",
    {
      before,
      removed: ["web"],
      approved: approval([codeOf("h"), codeOf("d")]),
      listed: [named("database")],
    },
    ["web refused: no cluster"],
  ],
  [
    "the approval of a creation doesn't approve a deletion, even next to hooks",
    {
      before,
      removed: ["web"],
      approved: approval([codeOf("h"), codeOf("c"), codeOf("d")]),
      listed: [named("database")],
    },
    [`web not deleted: ${unapproved}`],
  ],
  [
    "a plan with only its digest can be that of a deletion",
    { before, removed: ["web"], approved: approval(), listed: [named("database")] },
    ["web refused: no cluster"],
  ],
  [
    "a failed deployment stops all deletions",
    {
      before,
      removed: ["web"],
      approved: approval([]),
      deployed: [done("api", true), done("docs", false)],
    },
    ["web not deleted: docs wasn't deployed: run this again after it is deployed"],
  ],
  [
    "a newer commit of another deployment stops all deletions, because this run is late",
    {
      before,
      removed: ["web"],
      approved: approval([codeOf("d")]),
      listed: [named("database"), named("docs")],
      deployed: [done("api", true), skipped("docs", "older-commit")],
    },
    ["web not deleted: this run is late and skipped docs: docs is not for this run"],
  ],
  [
    "a newer active run stops all deletions",
    {
      before,
      removed: ["web"],
      approved: approval([codeOf("d")]),
      listed: [named("database"), named("docs")],
      deployed: [skipped("docs", "run-superseded")],
    },
    ["web not deleted: docs wasn't deployed: run this again after it is deployed"],
  ],
  [
    "a kept dependent elsewhere still exists",
    {
      before: [named("database"), kept({ ...named("web", "database"), context: "elsewhere" })],
      removed: ["database"],
      approved: approval([codeOf("d")]),
    },
    [
      "database not deleted: web depends on it and still exists, because its removal deletes nothing",
    ],
  ],
  [
    "the result of a deletion by another job in another context can be read",
    {
      before: [named("database"), { ...named("web", "database"), context: "elsewhere" }],
      removed: ["database"],
      approved: approval([codeOf("d")]),
    },
    [
      "database not deleted: web depends on it and might still exist: qvs couldn't read its releases",
    ],
  ],
  [
    "the result of a deletion by another job in another environment can't be read with this job's credentials",
    {
      before: [named("database"), { ...named("web", "database"), environment: "elsewhere" }],
      removed: ["database"],
      approved: approval([codeOf("d")]),
    },
    [
      "database not deleted: web depends on it and might still exist: this job can't access the cluster of its environment",
    ],
  ],
  [
    "a new deployment in the same namespace can be the renamed one",
    {
      before,
      removed: ["web"],
      approved: approval([]),
      listed: [named("database"), named("shop")],
    },
    ["web not deleted: the new deployment shop might adopt its objects, and isn't deployed yet"],
  ],
  [
    "a new deployment in another namespace isn't the renamed one",
    {
      before,
      removed: ["web"],
      approved: approval([]),
      listed: [named("database"), { ...named("shop"), environment: "elsewhere" }],
    },
    ["web refused: no cluster"],
  ],
];

test.each(cases)("%s", async (_, stage, expected) => {
  expect(await deleteRemovedLines(stage)).toEqual(expected);
});

test("a remaining deployment fails its job only if a later job depends on it", () => {
  const [database, web] = before as [Deployment, Deployment];
  const why = { code: "removed-not-deleted", where: [], what: "", fix: "" } as const;
  const stays: DeploymentOutcome = { type: "not deleted", deployment: web, why };
  expect(blocksLaterJobs(stays, removalsOf({ before, removed: ["web"] }))).toBe(true);
  expect(blocksLaterJobs(stays, removalsOf({ before, removed }))).toBe(false);
  expect(blocksLaterJobs(stays, removalsOf({ before, removed: ["web"], listed: [database] }))).toBe(
    false,
  );
});
