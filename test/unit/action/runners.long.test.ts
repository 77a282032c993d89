import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, onTestFinished, test } from "vitest";
import { pullRequestPayload, pushPayload, runStep } from "../../support/action/action-run.ts";
import { startCompiler } from "../../support/cue/native.ts";
import { startFakeGitHub } from "../../support/fake-github/server.ts";
import { environment, type GitFixture, temporaryDirectory } from "../../support/git/git-fixture.ts";
import { deploymentsFile, shopUnderGit } from "../../support/shop/shop-world.ts";

/** Tests runners and servers other than those of github.com. */
const compiler = startCompiler();
afterAll(() => compiler.close());

async function openGitHub(enterprise = false) {
  const github = await startFakeGitHub({ enterprise });
  onTestFinished(async () => {
    await github.close();
    expect(github.violations).toEqual([]);
  });
  return github;
}

interface Merged {
  readonly git: GitFixture;
  readonly base: string;
  readonly head: string;
}

/** Creates a pull request and the merge commit that GitHub creates for actions/checkout. */
function pullRequest(): Merged {
  const git = shopUnderGit();
  const base = git.commit(deploymentsFile({ name: "shop", namespace: "shop" }));
  git.git("checkout", "--quiet", "-b", "feature");
  const head = git.commit({ "params.yaml": "version: 2.0.0\nreplicas: 2\n" });
  git.git("checkout", "--quiet", "-b", "merge", base);
  git.git("merge", "--quiet", "--no-ff", "--message=merge", head);
  return { git, base, head };
}

/** Fetches the repository like actions/checkout does. */
function shallowClone({ git }: Merged, depth: number): string {
  const folder = temporaryDirectory();
  const run = (...args: readonly string[]) =>
    execFileSync("git", args, { cwd: folder, env: environment, stdio: "ignore" });
  run("init", "--quiet");
  run("fetch", "--quiet", `--depth=${depth}`, `file://${git.directory}`, "merge");
  run("checkout", "--quiet", "FETCH_HEAD");
  return folder;
}

/** Removes a file's content, as in a sparse checkout that can't fetch it later. */
function partialClone({ git, head }: Merged): string {
  const object = git.git("rev-parse", `${head}:adapters/web/main.cue`);
  rmSync(join(git.directory, ".git/objects", object.slice(0, 2), object.slice(2)));
  return git.directory;
}

/** Copies only the files, like actions/checkout on a runner without git. */
function filesOnly({ git }: Merged): string {
  const folder = temporaryDirectory();
  cpSync(git.directory, folder, { recursive: true });
  rmSync(join(folder, ".git"), { recursive: true });
  return folder;
}

function withoutGit(): string {
  const empty = join(temporaryDirectory(), "bin");
  mkdirSync(empty);
  return empty;
}

test.for<{
  what: string;
  workspace: (merged: Merged) => string;
  env?: () => Readonly<Record<string, string>>;
  messages: readonly string[];
  exitCode: number | undefined;
}>([
  {
    what: "the whole history is planned",
    workspace: ({ git }) => git.directory,
    messages: ["Not checked: "],
    exitCode: undefined,
  },
  {
    what: "the merge and its two parents are enough for a plan",
    workspace: (merged) => shallowClone(merged, 2),
    messages: ["Not checked: "],
    exitCode: undefined,
  },
  {
    what: "only the merge commit, as checked out by default, is rejected with a fix",
    workspace: (merged) => shallowClone(merged, 1),
    messages: ["isn't in this clone", "fetch-depth: 0"],
    exitCode: 1,
  },
  {
    what: "a clone that lacks a file is rejected, and nothing in it counts as deleted",
    workspace: partialClone,
    messages: [
      '"adapters/web/main.cue": this clone doesn\'t contain the content of the file',
      "remove `sparse-checkout` and `filter`",
    ],
    exitCode: 1,
  },
  {
    what: "files without a repository are rejected",
    workspace: filesOnly,
    messages: [
      "The working directory isn't in a Git repository with a commit",
      "Run actions/checkout",
    ],
    exitCode: 1,
  },
  {
    what: "a runner without git is rejected",
    workspace: ({ git }) => git.directory,
    env: () => ({ PATH: withoutGit() }),
    messages: [
      "The working directory isn't in a Git repository with a commit",
      "install git on the runner",
    ],
    exitCode: 1,
  },
])("$what", async ({ workspace, env, messages, exitCode }) => {
  const merged = pullRequest();
  const github = await openGitHub();
  const result = await runStep({
    compiler,
    apiUrl: github.apiUrl,
    workspace: workspace(merged),
    name: "pull_request",
    payload: pullRequestPayload(merged),
    ...(env === undefined ? {} : { env: env() }),
  });
  const output = result.log + result.summary;
  for (const text of messages) expect(output).toContain(text);
  expect(result.exitCode, result.log).toBe(exitCode);
  expect(result.log).not.toContain("A bug in qvs");
});

test("on GitHub Enterprise Server, the comment and its links use the server's own API", async () => {
  const merged = pullRequest();
  const github = await openGitHub(true);
  for (let i = 0; i < 120; i++) github.state.add(7, "octocat", `comment ${i}`);
  const run = {
    compiler,
    apiUrl: github.apiUrl,
    workspace: merged.git.directory,
    name: "pull_request",
    payload: pullRequestPayload(merged),
    inputs: { TOKEN: "token" },
    env: { GITHUB_SERVER_URL: "https://git.acme.example", GITHUB_RUN_ID: "12" },
  } as const;
  const { exitCode, log } = await runStep(run);
  expect(exitCode, log).toBeUndefined();
  const comment = github.state.comments[120]?.body ?? "";
  expect(comment).toContain("https://git.acme.example/acme/shop/");
  expect(comment).not.toContain("github.com/acme");
  await runStep(run);
  expect(github.state.comments).toHaveLength(121);
  expect(github.requests).toContain("POST /graphql");
});

test("on GitHub Enterprise Server, its own API decides whether a commit is merged", async () => {
  const { git, head } = pullRequest();
  const github = await openGitHub(true);
  const tip = git.git("rev-parse", "HEAD");
  github.state.branches.set("main", [head]);
  const { exitCode, log } = await runStep({
    compiler,
    apiUrl: github.apiUrl,
    workspace: git.directory,
    name: "push",
    payload: pushPayload("0".repeat(40), tip),
    inputs: { TOKEN: "token" },
    env: { GITHUB_REF: "refs/heads/main" },
  });
  expect(exitCode).toBe(1);
  expect(log).toContain("on the branch main");
  expect(github.requests.length).toBeGreaterThan(1);
});
