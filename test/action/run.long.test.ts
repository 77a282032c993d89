import { afterAll, afterEach, beforeEach, expect, test, vi } from "vitest";
import { runAction } from "../../src/action/run.ts";
import { startCompiler } from "../../src/start-compiler.ts";
import type { GitFixture } from "../io/git/git-fixture.ts";
import { environment } from "../io/git/git-fixture.ts";
import { type FakeGitHub, startFakeGitHub } from "../support/fake-github/server.ts";
import { deploymentsFile, shopUnderGit } from "../support/shop-world.ts";
import { asStep, stepEnvironment } from "../support/step.ts";

const compiler = startCompiler();
afterAll(() => compiler.close());

let github: FakeGitHub;
beforeEach(async () => {
  github = await startFakeGitHub();
});
afterEach(async () => {
  await github.close();
  expect(github.violations).toEqual([]);
});

/** The Action without a cluster, on a pull request whose branch is checked out. */
async function planned(
  git: GitFixture,
  base: string,
  inputs: Readonly<Record<string, string>> = {},
) {
  const repo = { full_name: "acme/shop" };
  const head = { sha: git.git("rev-parse", "HEAD"), repo };
  const event = { pull_request: { number: 7, base: { sha: base, repo }, head } };
  const step = stepEnvironment(event, {
    ...environment,
    PATH: environment.PATH ?? "",
    GITHUB_EVENT_NAME: "pull_request",
    GITHUB_REPOSITORY: "acme/shop",
    GITHUB_WORKSPACE: git.directory,
    GITHUB_API_URL: github.apiUrl,
  });
  vi.stubEnv("INPUT_TOKEN", "token");
  for (const [name, value] of Object.entries(inputs)) vi.stubEnv(`INPUT_${name}`, value);
  const result = await asStep(() => runAction(step.env, compiler));
  const comments = github.state.comments.map(({ body }) => body);
  return { ...result, comments, summary: step.summary(), outputs: step.outputs() };
}

function changedShop(): { git: GitFixture; base: string } {
  const git = shopUnderGit();
  const base = git.commit(deploymentsFile({ name: "shop", namespace: "shop" }));
  git.commit({ "params.yaml": "version: 2.0.0\nreplicas: 2\n" });
  return { git, base };
}

test("a preview ends in a comment, a summary and outputs", async () => {
  const { git, base } = changedShop();
  const { exitCode, comments, summary, outputs } = await planned(git, base);
  expect(exitCode).toBeUndefined();
  expect(comments).toHaveLength(1);
  expect(summary.trim()).toBe(comments[0]?.trim());
  expect(outputs).toContain("has-deletions");
  expect(outputs).toContain("comment-url");
});

test("a comment that GitHub refuses is a warning; the rest is written all the same", async () => {
  const { git, base } = changedShop();
  github.failNext(403, 9);
  const { exitCode, comments, summary, outputs, log } = await planned(git, base);
  expect(exitCode).toBeUndefined();
  expect(comments).toEqual([]);
  expect(log).toContain("::warning title=QVS::GitHub did not let us write the comment (403");
  expect(log).toContain("permissions: pull-requests: write");
  expect(summary).toContain("`shop`");
  expect(outputs).toContain("has-deletions");
});

test("a list of deployments that can't be read fails the step and replaces the old comment", async () => {
  const { git, base } = changedShop();
  await planned(git, base);
  git.commit({ ".valuestream/deployments.yaml": "deployments: [" });
  const { exitCode, comments, summary, log } = await planned(git, base);
  expect(exitCode).toBe(1);
  expect(comments).toHaveLength(1);
  expect(comments[0]).toContain("This pull request can't be previewed");
  expect(summary).toContain("This pull request can't be previewed");
  expect(log).toContain("::error title=QVS,file=.valuestream/deployments.yaml,line=1");
});

test.each(["deploy", "rollback"])("mode %s on a pull request is refused", async (mode) => {
  const { git, base } = changedShop();
  const { exitCode, log } = await planned(git, base, { MODE: mode, REVISION: "1" });
  expect(exitCode).toBe(1);
  expect(log).toContain(`mode ${mode} is refused on the event pull_request`);
  expect(github.requests).toEqual([]);
});
