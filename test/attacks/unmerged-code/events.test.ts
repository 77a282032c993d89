import { expect, test } from "vitest";
import { chooseTask } from "../../../src/action/choose-task.ts";
import type { GitHubEvent } from "../../../src/io/github/event.ts";
import { attacks } from "../attack.ts";

/**
 * Checks which events deploy, because SECURITY.md promises that only merged commits are deployed.
 */
const modes = ["auto", "deploy", "rollback"] as const;
const asked = { revision: "", branch: "" };

/**
 * All other events that start workflows, and some that don't exist. `workflow_call` has the name of
 * its caller's event.
 */
const neverDeploy = [
  ..."branch_protection_rule check_run check_suite create delete deployment deployment_status".split(
    " ",
  ),
  ..."discussion discussion_comment dynamic fork gollum image_version issue_comment issues".split(
    " ",
  ),
  ..."label member merge_group milestone page_build project project_card project_column".split(" "),
  ..."public pull_request_comment pull_request_review pull_request_review_comment".split(" "),
  ..."pull_request_target registry_package release repository_dispatch status watch".split(" "),
  ..."workflow_call workflow_run".split(" "),
  ..."invented PUSH Push push_ pushed Schedule workflow_dispatches constructor".split(" "),
  ...["", " push", "push ", "push,release", "__proto__"],
];
attacks("unmerged code", 'the event "%s" deploys nothing', neverDeploy, (name) => {
  const event: GitHubEvent = { type: "other", name };
  for (const mode of ["deploy", "rollback"] as const)
    for (const branch of ["", "main"])
      expect(() => chooseTask(event, { ...asked, branch, mode })).toThrow(
        `Mode ${mode} can't run on the event ${name}`,
      );
  expect(() => chooseTask(event, { ...asked, mode: "auto" })).toThrow("isn't supported");
});

test("a pull request is only previewed", () => {
  const sides = { baseSha: "base", headSha: "head" };
  for (const fromFork of [true, false]) {
    const event: GitHubEvent = {
      type: "pull_request",
      number: 7,
      ...sides,
      fromFork,
      closed: false,
      textEdited: false,
    };
    for (const mode of ["deploy", "rollback"] as const)
      expect(() => chooseTask(event, { ...asked, mode })).toThrow(
        `Mode ${mode} can't run on the event`,
      );
    expect(chooseTask(event, { ...asked, mode: "auto" }).mode).toBe("diff");
  }
});

const otherRefs = [
  "refs/heads/feature",
  "refs/heads/feature/main",
  "refs/heads/Main",
  "refs/heads/main ",
  "refs/heads/main/x",
  "refs/heads/refs/heads/main",
  "refs/tags/main",
  "refs/tags/v1",
  "refs/pull/7/merge",
  "refs/pull/7/head",
  "refs/remotes/origin/main",
  "main",
  "",
];
attacks("unmerged code", 'the ref "%s" is neither main nor staging', otherRefs, (ref) => {
  for (const event of eventsAt(ref))
    for (const mode of modes)
      for (const branch of ["", "staging"]) {
        if (event.type === "schedule" && mode === "auto") continue;
        expect(() => chooseTask(event, { ...asked, branch, mode })).toThrow(
          /isn't the default branch main[\s\S]*input branch/,
        );
      }
});

/** Values of the input that try to match more than one branch. */
const namedBranches = [
  "refs/tags/main",
  "refs/heads/feature",
  "*",
  "feat*",
  "**",
  "heads/feature",
  "/",
];
attacks("unmerged code", 'the input branch "%s" does not name feature', namedBranches, (branch) => {
  for (const ref of ["refs/heads/feature", "refs/tags/main"])
    for (const event of eventsAt(ref))
      expect(() => chooseTask(event, { ...asked, branch, mode: "deploy" })).toThrow(
        "isn't the default branch main",
      );
});

test("both branches are deployed on each event that names their branch", () => {
  for (const ref of ["refs/heads/main", "refs/heads/staging"])
    for (const event of eventsAt(ref))
      for (const mode of ["deploy", "rollback"] as const) {
        const task = chooseTask(event, { ...asked, branch: "staging", mode });
        expect(task).toMatchObject({ mode, branch: ref.replace("refs/heads/", "") });
      }
});

test("a deleted branch and an unknown default branch are rejected", () => {
  const pushed = { type: "push", before: "a", after: "0".repeat(40) } as const;
  const deleted: GitHubEvent = { ...pushed, ref: "refs/heads/main", defaultBranch: "main" };
  expect(() => chooseTask(deleted, { ...asked, mode: "deploy" })).toThrow("was deleted");
  const unknown = { type: "workflow_dispatch", ref: "refs/heads/main" } as const;
  const event: GitHubEvent = { ...unknown, defaultBranch: undefined };
  expect(() => chooseTask(event, { ...asked, mode: "deploy" })).toThrow(
    "doesn't contain the name of the default branch",
  );
  expect(chooseTask(event, { ...asked, branch: "main", mode: "deploy" }).mode).toBe("deploy");
});

function eventsAt(
  ref: string,
): readonly Exclude<GitHubEvent, { type: "other" | "pull_request" }>[] {
  return [
    { type: "push", before: "a", after: "b", ref, defaultBranch: "main" },
    { type: "workflow_dispatch", ref, defaultBranch: "main" },
    { type: "schedule", ref, defaultBranch: "main" },
  ];
}
