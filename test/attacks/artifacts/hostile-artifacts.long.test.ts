import { expect, test } from "vitest";
import { commentMarker } from "../../../src/report/comment/render-comment.ts";
import type { Review } from "../../../src/report/review/review.ts";
import { reviewNamed, runComment } from "../../support/action/mode-comment.ts";
import { zip } from "../../support/action/zip.ts";
import { useFakeGitHub } from "../../support/fake-github/use.ts";
import { GitFixture } from "../../support/git/git-fixture.ts";
import { commentInput } from "../../support/shop/shop-report.ts";

/**
 * Tests the workflow on `workflow_run`. It has a token that writes comments, and reads the artifact
 * of a fork's run. The fork controls everything in it, except the facts that GitHub itself reports.
 */
const github = useFakeGitHub();
const { headCommit } = commentInput();

const digest = "9f2c4e6a8b0d";

interface Left {
  /** The plan in the artifact. A string or buffer is its raw content. */
  readonly plan?: Partial<Review> | string | Buffer;
  readonly name?: string;
  readonly size?: number;
  readonly run?: Readonly<Record<string, unknown>>;
  readonly from?: string | null;
  /** The current head commit of the pull request. */
  readonly tip?: string;
  readonly state?: "closed";
}

/** Runs the workflow after a run for the fork's pull request 7 has left one artifact. */
async function after({ plan = {}, name = "qvs-plan", size, run = {}, ...pull }: Left) {
  const text = typeof plan === "object" && !Buffer.isBuffer(plan);
  const content = text ? JSON.stringify(reviewNamed("web", plan)) : plan;
  const archive = Buffer.isBuffer(content) ? content : zip([{ name: "plan.json", content }]);
  const { from = "evil/shop", tip = headCommit, state } = pull;
  const { artifacts, openPulls } = github().state;
  openPulls.push({ number: 7, branch: "patch", from, head: tip, ...(state && { state }) });
  openPulls.push({ number: 8, branch: "other", from: "evil/shop", head: "8".repeat(40) });
  artifacts.push({ id: 1, run: 42, name, zip: archive, ...(size === undefined ? {} : { size }) });
  artifacts.push({ id: 2, run: 42, name: "screenshots", zip: Buffer.alloc(0), size: 1 << 30 });
  return runComment(github(), { event: "workflow_run", payload: { workflow_run: runOf(run) } });
}

function runOf(changes: Readonly<Record<string, unknown>>) {
  return {
    id: 42,
    html_url: "https://github.com/acme/shop/actions/runs/42",
    event: "pull_request",
    actor: { login: "evil" },
    conclusion: "success",
    head_sha: headCommit,
    head_branch: "patch",
    head_repository: { full_name: "evil/shop" },
    ...changes,
  };
}

test("the artifact of a fork's run becomes a comment that approves nothing", async () => {
  const { exitCode, comments, summary } = await after({});
  expect(exitCode).toBeUndefined();
  const [comment = "", ...others] = comments;
  expect(others).toEqual([]);
  expect(comment.startsWith(`${commentMarker}\n## ❓ Not checked: \`web\``)).toBe(true);
  expect(comment).toContain(
    "> This preview comes from an artifact of a run in the fork `evil/shop`.",
  );
  expect(comment).toContain("because pull requests from forks get no credentials");
  expect(comment).not.toContain(digest);
  expect(comment).not.toContain("release 7");
  expect(summary.trim()).toBe(comment.trim());
  expect(github().state.comments[0]).toMatchObject({ issue: 7, author: "github-actions[bot]" });
});

const [first] = reviewNamed("web").deployments;
if (first === undefined) throw new Error("There is a deployment.");

test.each<[string, Left, string]>([
  ["of another pull request", { plan: { pullRequest: 8 } }, "is for another pull request"],
  ["of no pull request", { plan: { pullRequest: undefined } }, "is for another pull request"],
  [
    "of another repository",
    { plan: { repositoryUrl: "https://github.com/acme/bank" } },
    "found:    https://github.com/acme/bank",
  ],
  ["of another commit", { plan: { headCommit: "8".repeat(40) } }, "is for another commit"],
  [
    "that declares itself as another file",
    { plan: { artifactOf: { repository: "acme/shop", isFork: false } } },
    "The value at artifactOf doesn't match version 1",
  ],
  [
    "with more than the allowed entries",
    { plan: JSON.stringify({ ...reviewNamed("web"), approved: true }) },
    "The value at approved doesn't match version 1",
  ],
  ["with a deployment twice", { plan: { deployments: [first, first] } }, '"web" has 2 plans'],
  ["that is huge", { size: 17 << 20 }, "is larger than 16 MiB"],
  [
    "that unpacks to too many bytes",
    { plan: zip([{ name: "plan.json", content: Buffer.alloc(80 << 20) }]) },
    "83886080 bytes",
  ],
  [
    "of 10,000 entries",
    { plan: zip(Array.from({ length: 10_000 }, (_, i) => ({ name: `${i}.json`, content: "{}" }))) },
    "10000 entries",
  ],
  [
    "with a link",
    { plan: zip([{ name: "plan.json", content: "/etc/passwd", mode: 0o120_777 }]) },
    "a link, a directory",
  ],
  [
    "that leads out of its directory",
    { plan: zip([{ name: "../../../home/plan.json", content: "{}" }]) },
    "invalid relative path",
  ],
  ["of deep JSON", { plan: "[".repeat(200_000) }, "It isn't JSON"],
  [
    "of deep JSON that ends",
    { plan: "[".repeat(9_999) + "]".repeat(9_999) },
    "more than 16 levels",
  ],
  [
    "with a prototype key",
    { plan: '{"__proto__":{"version":1}}' },
    "a field with the name __proto__",
  ],
  [
    "that isn't UTF-8",
    { plan: zip([{ name: "plan.json", content: Buffer.from([0xff]) }]) },
    "not valid for encoding",
  ],
  [
    "that contains a command for the runner",
    { plan: zip([{ name: "::error::x.json\n::add-mask::y", content: "" }]) },
    "isn't a file with a name",
  ],
])("an artifact %s is rejected, and nothing is written", async (_, left, message) => {
  const { exitCode, comments, summary, log } = await after(left);
  expect(exitCode).toBe(1);
  expect([comments, summary]).toEqual([[], ""]);
  expect(log).toContain(message);
  expect(log).toContain("::error title=QVS::");
});

test.each<[string, Left, string]>([
  ["a run that no pull request has started", { run: { event: "push" } }, "started by push"],
  ["a run that was cancelled", { run: { conclusion: "cancelled" } }, "was canceled"],
  ["a fork that was deleted", { run: { head_repository: null } }, "The fork was deleted"],
  ["a branch that has moved on", { tip: "1".repeat(40) }, "No open pull request is at commit"],
  ["a pull request that was closed", { state: "closed" }, "No open pull request is at commit"],
  ["the same branch of another fork", { from: "other/shop" }, "No open pull request is at commit"],
  ["a run without a plan", { name: "my-qvs-plan" }, "The run provided no plan"],
  [
    "a run of the repository itself",
    { run: { head_repository: { full_name: "acme/shop" } } },
    "has written the comment itself",
  ],
])("%s is ignored", async (_, left, message) => {
  const { exitCode, comments, summary, log } = await after(left);
  expect(exitCode).toBeUndefined();
  expect([comments, summary]).toEqual([[], ""]);
  expect(log).toContain(message);
});

test("a branch that moves while qvs reads the artifact is detected before any write", async () => {
  const { openPulls } = github().state;
  const moving = {
    number: 7,
    branch: "patch",
    from: "evil/shop",
    state: "open" as const,
    asked: 0,
    get head() {
      this.asked += 1;
      return this.asked > 1 ? "1".repeat(40) : headCommit;
    },
  };
  openPulls.push(moving);
  const archive = zip([{ name: "plan.json", content: JSON.stringify(reviewNamed("web")) }]);
  github().state.artifacts.push({ id: 1, run: 42, name: "qvs-plan", zip: archive });
  const payload = { workflow_run: runOf({}) };
  const { exitCode, comments, log } = await runComment(github(), {
    event: "workflow_run",
    payload,
  });
  expect(exitCode).toBeUndefined();
  expect(comments).toEqual([]);
  expect(log).toContain("No open pull request is at commit 5f0c3a9d1b7e anymore.");
});

const ofDependabot: Left = {
  from: "acme/shop",
  run: { actor: { login: "dependabot[bot]" }, head_repository: { full_name: "acme/shop" } },
};

test("qvs writes Dependabot's plan if its own run couldn't, and the plan approves nothing", async () => {
  const { comments } = await after(ofDependabot);
  expect(comments[0]).toContain("> This preview comes from an artifact of a Dependabot run.");
  expect(comments[0]).not.toContain(digest);
});

test("a comment that Dependabot's own run has written stays", async () => {
  const written = `${commentMarker}\n## written by the run itself`;
  github().state.add(7, "github-actions[bot]", written);
  const { comments } = await after(ofDependabot);
  expect(comments).toEqual([written]);
});

test.each(["deploy", "rollback", "diff"])("mode %s is rejected on workflow_run", async (mode) => {
  const payload = { workflow_run: runOf({}) };
  const inputs = { MODE: mode, REVISION: "1" };
  const { exitCode, log } = await runComment(github(), { event: "workflow_run", payload, inputs });
  expect(exitCode).toBe(1);
  expect(log).toMatch(/can't run on the event workflow_run|works only on pull_request/);
  expect(github().requests).toEqual([]);
});

test("the error for a token that can't read the run's artifacts names the missing permission", async () => {
  github().failNext(403, 3, { part: "/artifacts" });
  const { exitCode, log } = await after({});
  expect(exitCode).toBe(1);
  expect(log).toContain("qvs can't read the artifacts of the run\n  why: The token");
  expect(log).toContain("permissions: actions: read");
});

/**
 * Runs the workflow after a run of one of the fork's workflows, with this file on the default
 * branch.
 */
async function afterWorkflow(path: string, commit: string, text: string) {
  const { artifacts, openPulls } = github().state;
  openPulls.push({ number: 7, branch: "patch", from: "evil/shop", head: headCommit });
  const content = JSON.stringify(reviewNamed(text));
  const archive = zip([{ name: "plan.json", content }]);
  artifacts.splice(0, artifacts.length, { id: 1, run: 42, name: "qvs-plan", zip: archive });
  const payload = { workflow_run: runOf({ path }) };
  const env = { GITHUB_SHA: commit };
  const { comments } = await runComment(github(), { event: "workflow_run", payload, env });
  return comments.map((comment) => /## .*`(.*)`/.exec(comment)?.[1]);
}

test("two workflows have one comment each on a fork's pull request, and all workflows that the fork adds share one", async () => {
  const git = new GitFixture();
  const commit = git.commit({
    ".github/workflows/eu.yml": "name: Plan",
    ".github/workflows/us@1.yml": "name: Plan",
  });
  github().state.repository = git.directory;
  const left: readonly (readonly [string, string])[] = [
    ["eu.yml", "eu"],
    ["us@1.yml@refs/heads/main", "us"],
    ["brought.yml", "brought"],
    ["brought-too.yml", "again"],
    ["eu.yml", "eu-2"],
    ["eu.yml/deeper.yml", "last"],
  ];
  let names: readonly (string | undefined)[] = [];
  for (const [file, text] of left)
    names = await afterWorkflow(`.github/workflows/${file}`, commit, text);
  expect(names).toEqual(["eu-2", "us", "last"]);
});

test("a fork has one comment if GitHub doesn't list the workflows", async () => {
  for (const file of ["eu.yml", "us.yml"])
    await afterWorkflow(`.github/workflows/${file}`, headCommit, file.slice(0, 2));
  expect(github().state.comments).toHaveLength(1);
});
