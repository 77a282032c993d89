import { afterAll, beforeAll, expect, test } from "vitest";
import { type FakeGitHub, startFakeGitHub } from "../../support/fake-github/server.ts";
import type { GitFixture } from "../../support/git/git-fixture.ts";
import { startWatchedServer } from "../../support/servers/watched-server.ts";
import { deploymentsFile, shopUnderGit } from "../../support/shop/shop-world.ts";
import { attacks } from "../attack.ts";
import { startAction } from "../start-up/start-action.ts";

/**
 * An attempt of a user who can push to an own branch but not merge, and wants to deploy it with the
 * built Action. The Action must reject it before any request to the cluster.
 */
interface Attempt {
  readonly name: string;
  readonly eventName: string;
  readonly ref: string;
  readonly inputs?: Readonly<Record<string, string>>;
  /**
   * The checked-out commit: the tip of main or the commit before it, the branch `feature`, or a
   * commit that was removed from main.
   */
  readonly checkedOut: "base" | "main" | "feature" | "removed";
  /** The information in the clone about the commits on main. */
  readonly clone:
    | "knows origin"
    | "is told that this is main"
    | "knows nothing"
    | "has a tag of that name";
  /** True if the Action can ask GitHub. */
  readonly token?: boolean;
  readonly says: string;
}

const main = "refs/heads/main";
const deploy = { mode: "deploy" };
const attempts: readonly Attempt[] = [
  ...["release", "create", "deployment", "check_run", "repository_dispatch", "brand_new"].map(
    (eventName) => ({
      name: `the event ${eventName} on main`,
      eventName,
      ref: main,
      inputs: deploy,
      checkedOut: "main" as const,
      clone: "knows origin" as const,
      says: `Mode deploy can't run on the event ${eventName}`,
    }),
  ),
  {
    name: "a manual start on a branch",
    eventName: "workflow_dispatch",
    ref: "refs/heads/feature",
    checkedOut: "feature",
    clone: "is told that this is main",
    says: "refs/heads/feature isn't the default branch main",
  },
  {
    name: "a manual rollback on a branch",
    eventName: "workflow_dispatch",
    ref: "refs/heads/feature",
    inputs: { revision: "previous", deployment: "shop" },
    checkedOut: "feature",
    clone: "knows origin",
    says: "refs/heads/feature isn't the default branch main",
  },
  {
    name: "a manual start on a tag that is called main",
    eventName: "workflow_dispatch",
    ref: "refs/tags/main",
    checkedOut: "feature",
    clone: "knows origin",
    says: "refs/tags/main isn't the default branch main",
  },
  {
    name: "a manual start on main that checks out a branch",
    eventName: "workflow_dispatch",
    ref: main,
    checkedOut: "feature",
    clone: "knows origin",
    says: "on the branch main",
  },
  {
    name: "a schedule that checks out a branch",
    eventName: "schedule",
    ref: main,
    inputs: deploy,
    checkedOut: "feature",
    clone: "knows origin",
    says: "on the branch main",
  },
  {
    name: "a repeated run of a push that was removed by a forced push",
    eventName: "push",
    ref: main,
    checkedOut: "removed",
    clone: "is told that this is main",
    token: true,
    says: "on the branch main",
  },
  {
    name: "a clone that knows no branch, and GitHub that can't be asked",
    eventName: "workflow_dispatch",
    ref: main,
    checkedOut: "main",
    clone: "knows nothing",
    says: "on the branch main",
  },
  {
    name: "a tag with the name of the clone's branch origin/main",
    eventName: "workflow_dispatch",
    ref: main,
    checkedOut: "feature",
    clone: "has a tag of that name",
    says: "on the branch main",
  },
];

let github: FakeGitHub;
beforeAll(async () => {
  github = await startFakeGitHub();
});
afterAll(async () => {
  await github.close();
  expect(github.violations).toEqual([]);
});

attacks("unmerged code", "$name is not deployed", attempts, async (attempt) => {
  const { code, log, asked } = await start(attempt);
  expect(log).toContain(attempt.says);
  expect(code).toBe(1);
  expect(asked).toEqual([]);
});

const manual = { eventName: "workflow_dispatch", ref: main } as const;
test.each<Omit<Attempt, "says">>([
  {
    name: "GitHub confirms it",
    ...manual,
    checkedOut: "main",
    clone: "knows nothing",
    token: true,
  },
  {
    name: "GitHub confirms it for an older one",
    ...manual,
    checkedOut: "base",
    clone: "knows nothing",
    token: true,
  },
  { name: "the clone has seen it there", ...manual, checkedOut: "base", clone: "knows origin" },
])("a commit of main is deployed when $name", async (attempt) => {
  const { log, asked } = await start(attempt);
  expect(log).not.toContain("is not on the branch");
  expect(asked).not.toEqual([]);
});

async function start(attempt: Omit<Attempt, "says">) {
  const { git, commits } = shop();
  const commit = commits[attempt.checkedOut];
  git.git("checkout", "--quiet", "--detach", commit);
  for (const [name, known] of refsOf(attempt.clone, commits.main, commit))
    git.git("update-ref", name, known);
  github.state.branches.set("main", [commits.base, commits.main]);
  const cluster = await startWatchedServer();
  const { code, log } = await startAction({
    workspace: git.directory,
    eventName: attempt.eventName,
    event: {
      before: commits.base,
      after: commit,
      ref: attempt.ref,
      repository: { default_branch: "main" },
    },
    inputs: {
      kubeconfig: cluster.kubeconfig,
      ...attempt.inputs,
      ...(attempt.token === true ? { token: "token" } : {}),
    },
    env: { GITHUB_REF: attempt.ref, GITHUB_SHA: commit, GITHUB_API_URL: github.apiUrl },
  });
  return { code, log, asked: cluster.requests };
}

/** Returns the refs that actions/checkout can leave in the clone. */
function refsOf(clone: Attempt["clone"], tip: string, commit: string): readonly [string, string][] {
  const origin = "refs/remotes/origin/main";
  switch (clone) {
    case "knows origin":
      return [[origin, tip]];
    case "is told that this is main":
      return [[origin, commit]];
    case "has a tag of that name":
      return [
        [`refs/tags/${origin}`, commit],
        [`refs/heads/${origin}`, commit],
        ["refs/tags/main", commit],
        ["refs/tags/origin/main", commit],
      ];
    case "knows nothing":
      return [];
  }
}

function shop() {
  const git: GitFixture = shopUnderGit();
  const base = git.commit(deploymentsFile({ name: "shop", namespace: "shop" }));
  const merged = git.commit({ "params.yaml": "version: 2.0.0\nreplicas: 2\n" });
  git.git("checkout", "--quiet", "-b", "feature");
  const feature = git.commit({ "params.yaml": "version: 6.6.6\nreplicas: 2\n" });
  git.git("checkout", "--quiet", "main");
  const removed = git.commit({ "params.yaml": "version: 6.6.7\nreplicas: 2\n" });
  git.git("reset", "--quiet", "--hard", merged);
  return { git, commits: { base, main: merged, feature, removed } };
}
