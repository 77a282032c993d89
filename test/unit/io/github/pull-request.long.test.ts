import { afterEach, beforeEach, expect, test } from "vitest";
import { createClient } from "../../../../src/io/github/client.ts";
import { openIssues } from "../../../../src/io/github/issues.ts";
import { findMergedPullRequests, openPullRequest } from "../../../../src/io/github/pull-request.ts";
import { md } from "../../../../src/redaction/markdown.ts";
import type { IssueTitle } from "../../../../src/redaction/shown.ts";
import { type FakeGitHub, startFakeGitHub } from "../../../support/fake-github/server.ts";

const shop = { owner: "acme", repo: "shop" };
let github: FakeGitHub;
let warnings: string[];

beforeEach(async () => {
  github = await startFakeGitHub();
  warnings = [];
});

afterEach(async () => {
  await github.close();
  expect(github.violations).toEqual([]);
});

function client() {
  const warn = (message: string) => void warnings.push(message);
  return createClient({ token: "t", apiUrl: github.apiUrl, warn });
}

/** Creates a client without retries, which would take a minute. */
function withoutRetries() {
  const made = client();
  made.hook.before("request", (options) => {
    options.request = { ...options.request, retries: 0 };
  });
  return made;
}

test("comments of all pages are read", async () => {
  for (let i = 0; i < 230; i++) github.state.add(7, "octocat", `comment ${i}`);
  github.state.add(8, "octocat", "of another pull request");
  const comments = await openPullRequest(client(), shop, 7).comments();
  expect(comments).toHaveLength(230);
  expect(comments.at(-1)).toMatchObject({ body: "comment 229", author: "octocat" });
});

test("a comment is created, changed and deleted", async () => {
  const pullRequest = openPullRequest(client(), shop, 7);
  const created = await pullRequest.createComment(md`first`);
  expect(created).toMatchObject({ author: "github-actions[bot]", body: "first" });
  expect(created.url).toBe(`https://github.com/acme/shop/pull/7#issuecomment-${created.id}`);
  const updated = await pullRequest.updateComment(created.id, md`second`);
  expect(updated).toMatchObject({ id: created.id, body: "second" });
  await pullRequest.deleteComment(created.id);
  expect(github.state.comments).toEqual([]);
});

test("the author is the owner of the token", async () => {
  expect(await openPullRequest(client(), shop, 7).author()).toBe("github-actions[bot]");
});

test("qvs asks for the author once, and the author of a new comment takes precedence over a guess", async () => {
  const pullRequest = openPullRequest(client(), shop, 7);
  github.failNext(401, 1, { part: "/graphql" });
  expect([await pullRequest.author(), await pullRequest.author()]).toEqual([
    "github-actions[bot]",
    "github-actions[bot]",
  ]);
  expect(github.requests).toEqual(["POST /graphql"]);
  await github.close();
  github = await startFakeGitHub({ login: "octocat" });
  const another = openPullRequest(client(), shop, 7);
  github.failNext(401, 1, { part: "/graphql" });
  expect(await another.author()).toBe("github-actions[bot]");
  await another.createComment(md`ours`);
  expect(await another.author()).toBe("octocat");
});

test.each([301, 307])("a comment is sent to the target of redirect %i", async (status) => {
  const location = `${github.apiUrl}/repos/acme/shop/issues/8/comments`;
  github.failNext(status, 1, { method: "POST", headers: { location } });
  const created = await openPullRequest(client(), shop, 7).createComment(md`first`);
  expect(github.state.comments).toMatchObject([{ id: created.id, issue: 8, body: "first" }]);
});

test("no comment is sent to another host", async () => {
  github.failNext(307, 4, { method: "POST", headers: { location: "https://shop.example/steal" } });
  const writing = openPullRequest(withoutRetries(), shop, 7).createComment(md`first`);
  await expect(writing).rejects.toThrow("GitHub's API redirects to another host");
});

test.each(["Too many requests", "API rate limit exceeded"])(
  "qvs repeats a request with status 429 after Retry-After, whatever its message: %s",
  async (message) => {
    const headers = { "retry-after": "1" };
    github.failNext(429, 1, { part: "/comments", message, headers });
    expect(await openPullRequest(client(), shop, 7).comments()).toEqual([]);
    expect(warnings).toEqual([expect.stringContaining("tries again in 1 s")]);
  },
);

test("qvs repeats no request after the hourly rate limit", async () => {
  const used = { "x-ratelimit-remaining": "0", "x-ratelimit-reset": "2000000000" };
  github.failNext(429, 1, { message: "API rate limit exceeded", headers: used });
  await expect(openPullRequest(client(), shop, 7).comments()).rejects.toThrow("rate limit");
  expect(warnings).toEqual([expect.stringContaining("gives up")]);
  expect(github.requests).toHaveLength(1);
});

test("qvs repeats a request after a bad gateway", async () => {
  github.failNext(502, 1);
  expect(await openPullRequest(client(), shop, 7).comments()).toEqual([]);
  expect(github.requests).toHaveLength(2);
});

test("a comment or an issue that GitHub creates without confirming it is created once", async () => {
  github.state.add(7, "octocat", "first");
  github.failNext(502, 1, { part: "/comments", method: "POST", isDone: true });
  const created = await openPullRequest(client(), shop, 7).createComment(md`first`);
  expect(github.state.comments.map(({ author }) => author)).toEqual([
    "octocat",
    "github-actions[bot]",
  ]);
  expect(created.id).toBe(github.state.comments[1]?.id);
  github.failNext(502, 1, { part: "/issues", method: "POST", isDone: true });
  const issue = await openIssues(client(), shop).create("Drift: shop" as IssueTitle, md`drift`);
  expect(github.state.issues.map(({ number }) => number)).toEqual([issue.number]);
});

test("the merged pull requests of a commit are found, and open ones aren't", async () => {
  github.state.pulls.push(
    { number: 6, mergeCommit: "aaa", commits: ["a1", "a2"] },
    { number: 7, mergeCommit: "bbb", commits: ["a2"] },
    { number: 8, mergeCommit: "b1", commits: ["bbb"], merged: false },
  );
  const find = (commit: string) => findMergedPullRequests(client(), shop, commit);
  expect(await find("bbb")).toEqual([7]);
  expect(await find("a2")).toEqual([6, 7]);
  expect(await find("ccc")).toEqual([]);
});
