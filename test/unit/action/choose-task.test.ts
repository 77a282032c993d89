import { expect, test } from "vitest";
import { chooseTask } from "../../../src/action/choose-task.ts";
import type { GitHubEvent } from "../../../src/io/github/event.ts";
import type { UserError } from "../../../src/model/problems/errors.ts";
import { describeProblem } from "../../support/describe-problem.ts";

const auto = { mode: "auto", revision: "", branch: "" } as const;
const pullRequest: GitHubEvent = {
  type: "pull_request",
  number: 7,
  baseSha: "base",
  headSha: "head",
  fromFork: true,
  closed: false,
  textEdited: false,
};

const mergeGroup: GitHubEvent = {
  type: "merge_group",
  baseSha: "base",
  headSha: "head",
  headRef: "refs/heads/gh-readonly-queue/main/pr-7-base",
  baseRef: "refs/heads/main",
};

function pushTo(ref: string): GitHubEvent {
  return { type: "push", before: "a", after: "b", ref, defaultBranch: "main" };
}

function other(name: string): GitHubEvent {
  return { type: "other", name };
}

function startedOn(ref: string, type: "workflow_dispatch" | "schedule" = "workflow_dispatch") {
  return { type, ref, defaultBranch: "main" } satisfies GitHubEvent;
}

const dispatch = startedOn("refs/heads/main");

const comment: GitHubEvent = {
  type: "issue_comment",
  number: 7,
  isPullRequest: true,
  isNew: true,
  commentId: 99,
  body: "/qvs plan",
  author: "octocat",
  isByApp: false,
  createdAt: "2026-03-01T10:00:00Z",
  defaultBranch: "main",
};

test.each([
  ["a pull request", pullRequest, auto, "diff"],
  ["a merge queue", mergeGroup, auto, "diff"],
  ["a closed pull request", { ...pullRequest, closed: true }, auto, "nothing"],
  [
    "a preview of a closed pull request",
    { ...pullRequest, closed: true },
    { ...auto, mode: "diff" },
    "nothing",
  ],
  ["a push to the default branch", pushTo("refs/heads/main"), auto, "deploy"],
  [
    "a push to a named branch",
    pushTo("refs/heads/staging"),
    { ...auto, branch: "staging" },
    "deploy",
  ],
  ["a manual start", dispatch, auto, "deploy"],
  ["a manual start with a revision", dispatch, { ...auto, revision: "3" }, "rollback"],
  [
    "a manual start on a named branch",
    startedOn("refs/heads/staging"),
    { ...auto, branch: "staging" },
    "deploy",
  ],
  ["a schedule without a mode", startedOn("refs/heads/main", "schedule"), auto, "drift"],
  [
    "a schedule with a mode",
    startedOn("refs/heads/main", "schedule"),
    { ...auto, mode: "deploy" },
    "deploy",
  ],
  ["a list for a pull request", pullRequest, { ...auto, mode: "list" }, "list"],
  ["a list for a merge queue", mergeGroup, { ...auto, mode: "list" }, "list"],
  ["a list for a push", pushTo("refs/heads/main"), { ...auto, mode: "list" }, "list"],
  ["a list for a manual start", dispatch, { ...auto, mode: "list" }, "list"],
  [
    "a list for a closed pull request",
    { ...pullRequest, closed: true },
    { ...auto, mode: "list" },
    "nothing",
  ],
  ["a comment", comment, auto, "command"],
  ["a report", pushTo("refs/heads/main"), { ...auto, mode: "report" }, "report"],
] as const)("%s", (_, event, inputs, mode) => {
  expect(chooseTask(event, inputs).mode).toBe(mode);
});

test("an edited title changes no environment, but an edited base branch does", () => {
  const inputs = { ...auto, mode: "environment" } as const;
  const task = (textEdited: boolean) => chooseTask({ ...pullRequest, textEdited }, inputs);
  expect(task(true)).toMatchObject({ mode: "nothing" });
  expect(task(false)).toMatchObject({ mode: "environment" });
  expect(chooseTask({ ...pullRequest, textEdited: true }, auto).mode).toBe("diff");
});

test("the default branch is still deployed with the input branch", () => {
  const inputs = { ...auto, branch: "staging" };
  expect(chooseTask(pushTo("refs/heads/main"), inputs).mode).toBe("deploy");
  expect(() => chooseTask(pushTo("refs/heads/stagin"), inputs)).toThrow(
    "isn't the default branch main",
  );
});

test.each(["deploy", "rollback", "report", "drift"] as const)(
  "the mode %s is rejected for unmerged commits",
  (mode) => {
    for (const event of [mergeGroup, { ...pullRequest, closed: true }, comment])
      expect(() => chooseTask(event, { ...auto, mode })).toThrow(
        `Mode ${mode} can't run on the event`,
      );
  },
);

test("each rejection contains a fix", () => {
  const fixOf = (event: GitHubEvent, inputs: Parameters<typeof chooseTask>[1] = auto) => {
    try {
      return chooseTask(event, inputs).mode;
    } catch (error) {
      return (error as UserError).problems.map(describeProblem).join("\n");
    }
  };
  expect(fixOf(other("pull_request_target"))).not.toContain("set the input mode");
  expect(fixOf(pushTo("refs/heads/x"))).toContain("set the input branch to this branch");
  for (const branch of ["", "v1"])
    expect(fixOf(pushTo("refs/tags/v1"), { ...auto, branch })).toContain("a tag is never deployed");
  expect(fixOf(pushTo("refs/heads/main"), { ...auto, mode: "comment" })).toContain("workflow_run");
});

test("a comment starts only commands, and a command needs a comment", () => {
  for (const mode of ["diff", "comment", "list"] as const)
    expect(() => chooseTask(comment, { ...auto, mode })).toThrow(`Mode ${mode}`);
  expect(() => chooseTask(dispatch, { ...auto, mode: "command" })).toThrow(
    "Mode command works only on issue_comment",
  );
});

test("a preview of another event and an unhandled event are rejected", () => {
  expect(() => chooseTask(dispatch, { ...auto, mode: "diff" })).toThrow("Mode diff works only on");
  expect(() => chooseTask(other("issues"), { ...auto, mode: "list" })).toThrow(
    "Mode list can't run on the event issues",
  );
  expect(() => chooseTask(pushTo("refs/heads/x"), { ...auto, mode: "list" })).toThrow(
    "isn't the default branch main",
  );
  expect(() => chooseTask(other("issues"), auto)).toThrow("The event issues isn't supported");
});
