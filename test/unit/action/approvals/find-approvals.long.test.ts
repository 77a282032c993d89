import { expect, test } from "vitest";
import { findApprovals } from "../../../../src/action/approvals/find-approvals.ts";
import type { FoundApprovals } from "../../../../src/action/approvals/found-approvals.ts";
import { openRepository } from "../../../../src/io/git/repository.ts";
import type { GitHubEvent } from "../../../../src/io/github/event.ts";
import { sentSecrets } from "../../../../src/redaction/sent-secrets.ts";
import { writeApprovals } from "../../../../src/report/comment/approval-line.ts";
import { commentMarker } from "../../../../src/report/comment/render-comment.ts";
import type { StoredComment } from "../../../support/fake-github/state.ts";
import { useFakeGitHub } from "../../../support/fake-github/use.ts";
import { environment, GitFixture } from "../../../support/git/git-fixture.ts";

const github = useFakeGitHub();
const bot = "github-actions[bot]";
const digest = "0123456789abcdef".repeat(4);

/**
 * Creates four changes: a squashed, a rebased and a merged pull request, and a commit that is
 * pushed directly.
 */
function pushed() {
  const git = new GitFixture();
  const before = git.commit({ a: "0" });
  const squashed = git.commit({ a: "1" });
  const rebased = [git.commit({ b: "1" }), git.commit({ b: "2" })];
  git.git("checkout", "--quiet", "-b", "three");
  const own = git.commit({ c: "1" });
  git.git("checkout", "--quiet", "main");
  git.git("merge", "--quiet", "--no-ff", "--message=Merge three", "three");
  const after = git.git("rev-parse", "HEAD");
  const head = (number: number) => String(number).repeat(40).slice(0, 40);
  for (const number of [1, 2]) comment(number, head(number));
  comment(3, own);
  github().state.pulls.push(
    { number: 1, mergeCommit: squashed, head: head(1) },
    { number: 2, mergeCommit: rebased[1] ?? "", commits: rebased, head: head(2) },
    { number: 3, mergeCommit: after, commits: [own], head: own },
  );
  return { git, before, after };
}

function comment(number: number, commit: string, author = bot): StoredComment {
  return github().state.add(number, author, bodyOf(commit, "shop"));
}

/** Returns the comment about the plan of a deployment. */
function bodyOf(commit: string, deployment: string): string {
  const approvals = new Map([[deployment, { digest, operations: [] }]]);
  const line = writeApprovals({ commit, approvals });
  return `${commentMarker}\n<!-- qvs-action:approval v1 ${line} -->\nplan`;
}

function push({ before, after }: { readonly before: string; readonly after: string }): GitHubEvent {
  return { type: "push", before, after, ref: "refs/heads/main", defaultBranch: "main" };
}

const defaultInputs = { approvedPlan: "require", approvals: "", token: "t", request: {} };

async function find(git: GitFixture, event: GitHubEvent, inputs: object = {}) {
  const repository = await openRepository(git.directory, environment);
  return findApprovals(event, { ...defaultInputs, ...inputs } as never, {
    world: { repository } as never,
    env: { GITHUB_API_URL: github().apiUrl },
    signal: new AbortController().signal,
    sent: sentSecrets(),
    repository: { owner: "acme", repo: "shop" },
  });
}

function text(found: FoundApprovals | undefined): string {
  const approved = found?.approved.map(({ by }) => by).toSorted();
  return [approved?.join(" "), ...(found?.missing ?? [])].join("\n");
}

test("squashed, rebased and merged pull requests are found with two requests", async () => {
  const { git, ...commits } = pushed();
  expect(text(await find(git, push(commits)))).toBe("#1 #2 #3");
  expect(github().requests).toEqual(["POST /graphql", "POST /graphql"]);
});

test("a manually started run finds the approvals of the checked-out commit", async () => {
  const { git } = pushed();
  const event = { ref: "refs/heads/main", defaultBranch: "main" };
  expect(text(await find(git, { type: "workflow_dispatch", ...event }))).toBe("#3");
});

test("a push has no approval without a merged pull request into the same branch", async () => {
  const git = new GitFixture();
  const before = git.commit({ a: "0" });
  const after = git.commit({ a: "1" });
  const nothing = "\nno pull request added this commit to the branch";
  expect(text(await find(git, push({ before, after })))).toBe(nothing);
  github().state.pulls.push(
    { number: 1, mergeCommit: after, head: after, merged: false },
    { number: 2, mergeCommit: after, head: after, base: "next" },
  );
  for (const number of [1, 2]) comment(number, after);
  expect(text(await find(git, push({ before, after })))).toBe(nothing);
});

test("the comment of qvs is found after hundreds of other comments", async () => {
  const git = new GitFixture();
  const before = git.commit({ a: "0" });
  const after = git.commit({ a: "1" });
  for (let each = 0; each < 230; each++) github().state.add(1, "mallory", "hello");
  comment(1, after, "mallory");
  comment(1, after);
  github().state.pulls.push({ number: 1, mergeCommit: after, head: after });
  expect(text(await find(git, push({ before, after })))).toBe("#1");
  expect(github().requests).toHaveLength(4);
});

test("qvs reads the newest twenty pull requests and reports the limit", async () => {
  const git = new GitFixture();
  const before = git.commit({ a: "0" });
  const after = git.commit({ a: "1" });
  for (let number = 1; number <= 25; number++) {
    comment(number, after);
    github().state.pulls.push({ number, mergeCommit: after, head: after });
  }
  const found = await find(git, push({ before, after }));
  expect(found?.approved).toHaveLength(20);
  expect(found?.missing).toEqual(["qvs checked only the newest 20 of 25 pull requests"]);
});

test.each([
  [{ token: "" }, "\nthe input token is empty, so qvs can't read the comments"],
  [{ approvals: "{}" }, "\nthe input approvals isn't an output of mode list"],
])("%j", async (inputs, expected) => {
  const { git, ...commits } = pushed();
  expect(text(await find(git, push(commits), inputs))).toBe(expected);
  expect(github().requests).toEqual([]);
});

test.each([{ approvedPlan: "off" }, { request: { expected: {} } }])(
  "qvs searches for no approvals with %j",
  async (inputs) => {
    const { git, ...commits } = pushed();
    expect(await find(git, push(commits), inputs)).toBeUndefined();
    expect(github().requests).toEqual([]);
  },
);

test("an error of GitHub is reported as the reason for a missing approval", async () => {
  const { git, ...commits } = pushed();
  github().failNext(403, 1, { message: "Resource not accessible by integration" });
  expect(text(await find(git, push(commits)))).toMatch(
    /^\nqvs can't read the approvals from GitHub \(GitHub answered 403: .*pull-requests: read/s,
  );
});

test("a merge queue group contains all pull requests before the last one", async () => {
  const { git, before, after } = pushed();
  github().state.queue.push(1, 2, 3);
  const group = (number: number): GitHubEvent => ({
    type: "merge_group",
    baseSha: before,
    headSha: before,
    baseRef: "refs/heads/main",
    headRef: `refs/heads/gh-readonly-queue/main/pr-${number}-${before}`,
  });
  expect(text(await find(git, group(2)))).toBe("#1 #2");
  expect(text(await find(git, { ...group(3), headSha: after } as GitHubEvent))).toBe("#1 #2 #3");
  const odd = { ...group(1), headRef: "refs/heads/else" } as GitHubEvent;
  expect(text(await find(git, odd))).toBe(
    "\nthe merge queue branch refs/heads/else contains no pull request number",
  );
});
