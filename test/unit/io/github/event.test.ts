import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readEvent } from "../../../../src/io/github/event.ts";

function check(name: string, payload: unknown, actor = "octocat", ref?: string) {
  const path = eventFile(JSON.stringify(payload));
  const env = { GITHUB_EVENT_NAME: name, GITHUB_EVENT_PATH: path, GITHUB_ACTOR: actor };
  return readEvent({ ...env, GITHUB_REF: ref });
}

function eventFile(text: string): string {
  const path = join(mkdtempSync(join(tmpdir(), "event-")), "event.json");
  writeFileSync(path, text);
  return path;
}

const ownPull = {
  pull_request: {
    number: 7,
    base: { sha: "base", repo: { full_name: "acme/shop" } },
    head: { sha: "head", repo: { full_name: "acme/shop" } },
  },
};
const pull = {
  type: "pull_request",
  number: 7,
  baseSha: "base",
  headSha: "head",
  closed: false,
  textEdited: false,
};

test("a pull request of the repository itself", () => {
  expect(check("pull_request", ownPull)).toEqual({ ...pull, fromFork: false });
});

test.each([
  ["a fork", { full_name: "stranger/shop" }, "octocat", true],
  ["a fork that no longer exists", null, "octocat", true],
  ["a fork, started again by Dependabot", { full_name: "stranger/shop" }, "dependabot[bot]", true],
  [
    "Dependabot, which works within the repository",
    { full_name: "acme/shop" },
    "dependabot[bot]",
    false,
  ],
])("a pull request of %s", (_, repo, actor, fromFork) => {
  const { pull_request } = ownPull;
  const payload = { pull_request: { ...pull_request, head: { sha: "head", repo } } };
  expect(check("pull_request", payload, actor)).toEqual({ ...pull, fromFork });
});

test.each([
  ["a title", "edited", { title: { from: "x" } }, true],
  ["nothing that GitHub names", "edited", undefined, true],
  ["the base branch", "edited", { base: { ref: { from: "x" } } }, false],
  ["a commit", "synchronize", undefined, false],
])("a pull request with a change of %s", (_, action, changes, textEdited) => {
  expect(check("pull_request", { ...ownPull, action, changes })).toMatchObject({ textEdited });
});

test("a pull request with two unknown repositories counts as a fork", () => {
  const deletedFork = { sha: "a", repo: null };
  const payload = { pull_request: { number: 7, base: deletedFork, head: deletedFork } };
  expect(check("pull_request", payload)).toMatchObject({ fromFork: true });
});

test.each([
  ["closed", "closed", true],
  ["labeled", "closed", true],
  ["labeled", "open", false],
  ["synchronize", "open", false],
])("the action %s of a pull request that is %s", (action, state, closed) => {
  const payload = { action, pull_request: { ...ownPull.pull_request, state } };
  expect(check("pull_request", payload)).toMatchObject({ closed });
});

test("a merge group", () => {
  const head_ref = "refs/heads/gh-readonly-queue/main/pr-7-base";
  const base_ref = "refs/heads/main";
  const payload = { merge_group: { base_sha: "base", head_sha: "head", head_ref, base_ref } };
  const refs = { headRef: head_ref, baseRef: base_ref };
  const group = { type: "merge_group", baseSha: "base", headSha: "head", ...refs };
  expect(check("merge_group", payload)).toEqual(group);
});

test("a push", () => {
  const pushed = { before: "a", after: "b", ref: "refs/heads/main" };
  const payload = { ...pushed, repository: { default_branch: "main" } };
  expect(check("push", payload)).toEqual({ type: "push", ...pushed, defaultBranch: "main" });
});

test("a push with different payload and variables is rejected", () => {
  const payload = {
    before: "a",
    after: "b",
    ref: "refs/heads/main",
    repository: { default_branch: "main" },
  };
  const read = () => check("push", payload, "octocat", "refs/heads/feature");
  expect(read).toThrow(
    "GITHUB_REF isn't the ref of the push event\n  event: refs/heads/main\n  found: refs/heads/feature",
  );
});

const onMain = { ref: "refs/heads/main", defaultBranch: "main" };

test.each([
  ["workflow_dispatch", { inputs: null, repository: { default_branch: "main" } }, onMain],
  ["workflow_dispatch", { inputs: {} }, { ...onMain, defaultBranch: undefined }],
  ["schedule", { schedule: "0 0 * * *", repository: { default_branch: "main" } }, onMain],
  // Schedules run only on the default branch.
  ["schedule", { schedule: "0 0 * * *" }, onMain],
])("a manual start at the tip of a branch: %s with %o", (type, payload, branch) => {
  expect(check(type, payload, "octocat", "refs/heads/main")).toEqual({ type, ...branch });
});

test("any other event is reported by its name", () => {
  expect(readEvent({ GITHUB_EVENT_NAME: "release" })).toEqual({ type: "other", name: "release" });
});

test.each([
  [
    "a field of another kind",
    '{"pull_request":{"number":"7"}}',
    "has no valid pull_request.number",
  ],
  ["a list", "[]", "has no valid pull_request"],
  ["nothing", "", "is empty"],
  ["a blank line", "\n", "is empty"],
  ["half a document", '{"pull_request":', "isn't JSON"],
  ["a text", '"pull_request"', "isn't a JSON object"],
  ["null", "null", "isn't a JSON object"],
])("an event file with %s is reported with its path and a fix", (_, text, why) => {
  const path = eventFile(text);
  const read = () => readEvent({ GITHUB_EVENT_NAME: "pull_request", GITHUB_EVENT_PATH: path });
  expect(read).toThrow(
    `The file of the pull_request event ${why}\n  file: ${path}\n  help: Run the Action in`,
  );
});

test.each([0, -1, 1.5, 1e300])("a pull request has no number %d", (number) => {
  const payload = { pull_request: { ...ownPull.pull_request, number } };
  expect(() => check("pull_request", payload)).toThrow("has no valid pull_request.number");
  const run = { id: number, html_url: "", event: "pull_request", head_sha: "head" };
  expect(() => check("workflow_run", { workflow_run: run })).toThrow("no valid workflow_run.id");
});

test.each([
  ["missing", join(tmpdir(), "no-such-event.json"), "  error: ENOENT"],
  ["a directory", tmpdir(), "  error: EISDIR"],
  ["not named", undefined, "has no path\n  why: GITHUB_EVENT_PATH isn't set"],
])("an event file that is %s is reported", (_, path, why) => {
  const read = () => readEvent({ GITHUB_EVENT_NAME: "push", GITHUB_EVENT_PATH: path });
  expect(read).toThrow(why);
});
