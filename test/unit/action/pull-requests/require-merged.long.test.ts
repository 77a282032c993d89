import { afterEach, beforeEach, expect, test } from "vitest";
import type { ActionContext } from "../../../../src/action/context.ts";
import { requireMerged } from "../../../../src/action/pull-requests/require-merged.ts";
import { openRepository } from "../../../../src/io/git/repository.ts";
import { type FakeGitHub, startFakeGitHub } from "../../../support/fake-github/server.ts";
import { environment, GitFixture } from "../../../support/git/git-fixture.ts";
import { asStep } from "../../../support/plan/step.ts";

let github: FakeGitHub;
beforeEach(async () => {
  github = await startFakeGitHub();
});
afterEach(() => github.close());

/** Returns the message about a commit that isn't on any branch of the clone's origin. */
async function messageForUnknown(token = "t"): Promise<string> {
  const git = new GitFixture();
  return rejectionText(git, token, {}, git.commit({ a: "1" }));
}

async function rejectionText(
  git: GitFixture,
  token: string,
  env: Readonly<Record<string, string>>,
  commit: string,
): Promise<string> {
  const context = {
    world: {
      repository: await openRepository(git.directory, environment),
      signal: new AbortController().signal,
    },
    env: { GITHUB_API_URL: github.apiUrl, ...env },
    commit,
    repository: { owner: "acme", repo: "shop" },
  } as unknown as ActionContext;
  let message = "nothing";
  await asStep(async () => {
    await requireMerged("main", { token }, context).catch((error) => {
      message = error.message;
    });
  });
  return message;
}

test.each([
  [403, "Resource not accessible by integration", {}, "permissions: contents: read"],
  [404, "Not Found", {}, "The requested item doesn't exist, or the token isn't allowed to read it"],
  [401, "Bad credentials", {}, "The token is invalid, expired or revoked"],
  [
    403,
    "Resource protected by organization SAML enforcement.",
    { "x-github-sso": "required" },
    "single sign-on",
  ],
  [403, "API rate limit exceeded", { "x-ratelimit-remaining": "0" }, "primary rate limit"],
])("GitHub answers %i: %s", async (status, message, headers, expected) => {
  const reset = { ...headers, "x-ratelimit-reset": "2000000000" };
  github.failNext(status, 1, { message, headers: reset });
  const rejection = await messageForUnknown();
  expect(rejection).toContain("can't check it on GitHub");
  expect(rejection).toContain(expected);
  expect(rejection).toContain("fetch-depth: 0");
});

test("the token is missing", async () => {
  expect(await messageForUnknown("")).toContain("The input token is empty");
  expect(github.requests).toEqual([]);
});

/**
 * Returns the message about a commit that actions/checkout has set the branch of the clone's origin
 * to.
 */
async function messageForCheckout(attempt: string, ofEvent?: string): Promise<string> {
  const git = new GitFixture();
  const commit = git.commit({ a: "1" });
  git.git("update-ref", "refs/remotes/origin/main", commit);
  return rejectionText(git, "", { GITHUB_RUN_ATTEMPT: attempt }, ofEvent ?? commit);
}

test("a run that GitHub has just started needs no check, and a restarted one does", async () => {
  expect(await messageForCheckout("1")).toBe("nothing");
  expect(await messageForCheckout("2")).toContain("might not be on the branch main");
  // The clone knows more than the run, because the branch was fetched.
  expect(await messageForCheckout("2", "0".repeat(40))).toBe("nothing");
});
