import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readEvent } from "../../../src/io/github/event.ts";

function check(name: string, payload: unknown, actor = "octocat") {
  const path = join(mkdtempSync(join(tmpdir(), "event-")), "event.json");
  writeFileSync(path, JSON.stringify(payload));
  return readEvent({ GITHUB_EVENT_NAME: name, GITHUB_EVENT_PATH: path, GITHUB_ACTOR: actor });
}

const ownPull = {
  pull_request: {
    number: 7,
    base: { sha: "base", repo: { full_name: "acme/shop" } },
    head: { sha: "head", repo: { full_name: "acme/shop" } },
  },
};
const pull = { type: "pull_request", number: 7, baseSha: "base", headSha: "head" };

test("a pull request of the repository itself", () => {
  expect(check("pull_request", ownPull)).toEqual({ ...pull, fromFork: false });
});

test.each([
  ["a fork", { full_name: "stranger/shop" }, "octocat"],
  ["a fork that is gone", null, "octocat"],
  ["Dependabot, whose runs have no secrets either", { full_name: "acme/shop" }, "dependabot[bot]"],
])("a pull request of %s", (_, repo, actor) => {
  const { pull_request } = ownPull;
  const payload = { pull_request: { ...pull_request, head: { sha: "head", repo } } };
  expect(check("pull_request", payload, actor)).toEqual({ ...pull, fromFork: true });
});

test("a push", () => {
  const pushed = { before: "a", after: "b", ref: "refs/heads/main" };
  const payload = { ...pushed, repository: { default_branch: "main" } };
  expect(check("push", payload)).toEqual({ type: "push", ...pushed, defaultBranch: "main" });
});

test("a manual start, with the inputs that were filled in", () => {
  const inputs = { revision: "3", environment: "", force: true };
  expect(check("workflow_dispatch", { inputs })).toEqual({
    type: "workflow_dispatch",
    inputs: { revision: "3", force: "true" },
  });
  expect(check("workflow_dispatch", { inputs: null })).toEqual({
    type: "workflow_dispatch",
    inputs: {},
  });
});

test("any other event goes by its name", () => {
  expect(readEvent({ GITHUB_EVENT_NAME: "schedule" })).toEqual({ type: "other", name: "schedule" });
});

test("a payload without what we need is told by its field", () => {
  expect(() => check("pull_request", { pull_request: { number: "7" } })).toThrow(
    /pull_request event .* pull_request\.number/,
  );
  expect(() => readEvent({ GITHUB_EVENT_NAME: "push" })).toThrow(/push event/);
});
