import { afterEach, beforeEach, expect, test } from "vitest";
import { checkOnBranch } from "../../../../src/io/github/branch.ts";
import { createClient } from "../../../../src/io/github/client.ts";
import { errorMessage, explainRefusal } from "../../../../src/io/github/explain-refusal.ts";
import { openPullRequest } from "../../../../src/io/github/pull-request.ts";
import { type FakeGitHub, startFakeGitHub } from "../../../support/fake-github/server.ts";

const shop = { owner: "acme", repo: "shop" };
let github: FakeGitHub;
beforeEach(async () => {
  github = await startFakeGitHub();
});
afterEach(() => github.close());

function client(apiUrl = github.apiUrl) {
  return createClient({ token: "t", apiUrl, warn: () => {} });
}

/** Messages of GitHub. */
const answers = [
  {
    name: "a locked conversation",
    status: 403,
    message: "Unable to create comment because issue is locked.",
    why: "the conversation is locked",
    fix: "Unlock the conversation",
  },
  {
    name: "the hourly rate limit",
    status: 403,
    message: "API rate limit exceeded for installation ID 42.",
    headers: { "x-ratelimit-remaining": "0", "x-ratelimit-reset": "2000000000" },
    why: "primary rate limit",
    fix: "after 2033-05-18T03:33:20Z",
  },
  {
    name: "the hourly rate limit with another status",
    status: 429,
    message: "API rate limit exceeded for installation ID 42.",
    headers: { "x-ratelimit-remaining": "0", "x-ratelimit-reset": "2000000000" },
    why: "primary rate limit",
    fix: "after 2033-05-18T03:33:20Z",
  },
  {
    name: "too many requests",
    status: 429,
    message: "Too many requests",
    headers: { "retry-after": "3600" },
    why: "secondary rate limit",
    fix: "in a few minutes",
  },
  {
    name: "too frequent requests",
    status: 403,
    message: "You have exceeded a secondary rate limit. Please wait a few minutes.",
    headers: { "retry-after": "3600" },
    why: "secondary rate limit",
    fix: "in a few minutes",
  },
  {
    name: "single sign-on",
    status: 403,
    message: "Resource protected by organization SAML enforcement. You must grant access.",
    headers: { "x-github-sso": "required; url=https://github.com/orgs/acme/sso" },
    why: "single sign-on",
    fix: "Authorize the token",
  },
  {
    name: "an address that isn't allowed",
    status: 403,
    message:
      "the `acme` organization has an IP allow list enabled, and your IP address is not permitted",
    why: "IP allow list doesn't contain",
    fix: "IP allow list",
  },
  {
    name: "an archived repository",
    status: 403,
    message: "Repository was archived so is read-only.",
    why: "archived",
    fix: "Unarchive",
  },
  {
    name: "a missing permission",
    status: 403,
    message: "Resource not accessible by integration",
    why: "the token isn't allowed to do this",
    fix: "permissions: pull-requests: write",
  },
  {
    name: "a token that has expired",
    status: 401,
    message: "Bad credentials",
    why: "invalid, expired or revoked",
    fix: "Remove the input token",
  },
  {
    name: "a deleted repository",
    status: 404,
    message: "Not Found",
    why: "doesn't exist, or the token isn't allowed to read it",
    fix: "Check that it still exists",
  },
  {
    name: "a deleted conversation",
    status: 410,
    message: "This issue was deleted",
    why: "was deleted",
    fix: "still exists",
  },
  {
    name: "a repository without issues",
    status: 410,
    message: "Issues are disabled for this repo",
    why: "issues turned off",
    fix: "`issue: false`",
  },
  {
    name: "an internal error of GitHub",
    status: 503,
    message: "Service unavailable",
    why: "GitHub has an internal error",
    fix: "Run the job again",
  },
];

test.each(answers)("$name", async ({ status, message, headers = {}, why, fix }) => {
  github.failNext(status, 1, { message, headers });
  const error = await caught(() => openPullRequest(noRetries(), shop, 7).comments());
  const refusal = explainRefusal(error, "pull-requests: write");
  expect(refusal.why).toContain(why);
  expect(refusal.fix).toContain(fix);
  for (const other of answers.filter((each) => each.why !== why))
    expect(refusal.why).not.toContain(other.why);
});

/** GraphQL answers 200, and the body contains the error. */
test.each([
  ["FORBIDDEN", "Resource not accessible by integration", "the token isn't allowed to do this"],
  [
    "NOT_FOUND",
    "Could not resolve to a Repository.",
    "doesn't exist, or the token isn't allowed to read it",
  ],
  ["RATE_LIMITED", "API rate limit exceeded for installation ID 42.", "primary rate limit"],
  [undefined, "Something went wrong while executing your query.", "GitHub has an internal error"],
])("GraphQL answers with the error %s", async (type, message, why) => {
  const body = { data: null, errors: [{ type, message }] };
  // The time is so far away that qvs doesn't wait for it.
  const headers = { "x-ratelimit-reset": "2000000000" };
  // Trouble of GitHub's own is asked again.
  github.failNext(200, 4, { part: "/graphql", body, headers });
  const error = await caught(() => noRetries().graphql("{ viewer { login } }"));
  expect(explainRefusal(error, "pull-requests: read").why).toContain(why);
  expect(errorMessage(error)).toBe(message);
});

test("GitHub answers with a web page", async () => {
  github.failNext(200, 1, { headers: { "content-type": "text/html" } });
  const error = await caught(() => openPullRequest(client(), shop, 7).comments());
  expect(explainRefusal(error, "").why).toBe(
    "GITHUB_API_URL answered with a web page instead of JSON",
  );
  expect(github.requests).toHaveLength(1);
});

test("the host doesn't answer", async () => {
  await github.close();
  const error = await caught(() => openPullRequest(noRetries(), shop, 7).comments());
  expect(explainRefusal(error, "").why).toBe("GitHub's API can't be reached");
});

test("an unknown relation of a commit to a branch is reported with the reason", async () => {
  github.failNext(403, 1, { message: "Resource not accessible by integration" });
  const answer = await checkOnBranch(client(), shop, "main", "abc");
  expect(answer).toMatchObject({
    known: false,
    refusal: { fix: expect.stringContaining("permissions: contents: read") },
  });
});

/** Creates a client without retries, which would take a minute. */
function noRetries() {
  const made = client();
  made.hook.before("request", (options) => {
    options.request = { ...options.request, retries: 0 };
  });
  return made;
}

async function caught(work: () => Promise<unknown>): Promise<unknown> {
  try {
    await work();
  } catch (error) {
    return error;
  }
  throw new Error("Nothing was refused.");
}
