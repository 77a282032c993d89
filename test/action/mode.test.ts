import { expect, test } from "vitest";
import { taskFor } from "../../src/action/mode.ts";
import type { GitHubEvent } from "../../src/io/github/event.ts";

const auto = { mode: "auto", revision: "", branch: "" } as const;
const pullRequest: GitHubEvent = {
  type: "pull_request",
  number: 7,
  baseSha: "base",
  headSha: "head",
  fromFork: true,
};

function pushTo(ref: string): GitHubEvent {
  return { type: "push", before: "a", after: "b", ref, defaultBranch: "main" };
}

function other(name: string): GitHubEvent {
  return { type: "other", name };
}

const dispatch: GitHubEvent = { type: "workflow_dispatch", inputs: {} };

test.each([
  ["a pull request", pullRequest, auto, "diff"],
  ["a push to the default branch", pushTo("refs/heads/main"), auto, "deploy"],
  [
    "a push to a branch that is named",
    pushTo("refs/heads/staging"),
    { ...auto, branch: "staging" },
    "deploy",
  ],
  ["a manual start", dispatch, auto, "deploy"],
  ["a manual start with a revision", dispatch, { ...auto, revision: "3" }, "rollback"],
  ["a schedule with a mode", other("schedule"), { ...auto, mode: "deploy" }, "deploy"],
] as const)("%s", (_, event, inputs, mode) => {
  expect(taskFor(event, inputs).mode).toBe(mode);
});

const unmerged = [
  pullRequest,
  ...["pull_request_target", "pull_request_review", "issue_comment", "merge_group"].map(other),
  other("workflow_run"),
];
for (const event of unmerged) {
  const name = event.type === "other" ? event.name : event.type;
  test.each(["deploy", "rollback"] as const)(`mode %s is refused on ${name}`, (mode) => {
    expect(() => taskFor(event, { ...auto, mode })).toThrow(
      `mode ${mode} is refused on the event ${name}`,
    );
  });
}

test.each(["auto", "deploy", "rollback"] as const)(
  "with mode %s, a push to another branch or of a tag is refused",
  (mode) => {
    for (const ref of ["refs/heads/feature", "refs/tags/main", "refs/heads/feature/main"]) {
      expect(() => taskFor(pushTo(ref), { ...auto, mode })).toThrow(
        /is not the default branch, main[\s\S]*input branch/,
      );
    }
  },
);

test("naming a branch does not take the default branch away", () => {
  const inputs = { ...auto, branch: "staging" };
  expect(taskFor(pushTo("refs/heads/main"), inputs).mode).toBe("deploy");
  expect(() => taskFor(pushTo("refs/heads/stagin"), inputs)).toThrow("is not the default branch");
});

test("a preview of anything but a pull request, and an event that nothing is done on", () => {
  expect(() => taskFor(dispatch, { ...auto, mode: "diff" })).toThrow("mode diff works on");
  expect(() => taskFor(other("issues"), auto)).toThrow("nothing to do on the event issues");
});
