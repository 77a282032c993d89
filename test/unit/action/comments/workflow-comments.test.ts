import { expect, test } from "vitest";
import { addOutcome, stickyComment } from "../../../../src/action/comments/sticky-comment.ts";
import {
  viewDeploymentComment,
  viewWorkflowComments,
  workflowPath,
} from "../../../../src/action/comments/workflow-comments.ts";
import type { PullRequest, PullRequestComment } from "../../../../src/ports/github.ts";
import { md } from "../../../../src/redaction/markdown.ts";
import type { Markdown } from "../../../../src/redaction/shown.ts";
import { renderApprovals } from "../../../../src/report/comment/approval-line.ts";
import { renderOutcomes } from "../../../../src/report/comment/outcome-comment.ts";
import { commentMarker } from "../../../../src/report/comment/render-comment.ts";
import { missingResult } from "../../../../src/report/result-file.ts";

/** Creates a conversation in memory. Other users' comments are between those of qvs. */
function conversation() {
  const comments = new Map<number, PullRequestComment>();
  const written: string[] = [];
  const put = (id: number, body: string, author = "bot") => {
    const comment = { id, body, author, url: `#${id}` };
    comments.set(id, comment);
    return comment;
  };
  const write = (id: number, body: string) => {
    written.push(`#${id}`);
    return put(id, body);
  };
  const pullRequest: PullRequest = {
    number: 7,
    author: async () => "bot",
    comments: async () => [...comments.values()],
    createComment: async (body) => write(comments.size + 1, body),
    updateComment: async (id, body) => write(id, body),
    deleteComment: async (id) => {
      comments.delete(id);
    },
  };
  const bodies = () => [...comments.values()].map(({ body }) => shortened(body));
  return { pullRequest, put, bodies, written };
}

/** Returns the body without digests and links. */
function shortened(body: string): string {
  return body
    .replace(/^<!-- qvs-action:approval .*$/m, "(approval)")
    .split("\n")
    .filter((line) => /^(?:<!--|\(|[a-z])/.test(line))
    .slice(1)
    .join(" / ");
}

function preview(text: Markdown, deployment?: string): Markdown {
  const digest = "d".repeat(64);
  const line =
    deployment === undefined
      ? undefined
      : renderApprovals("c".repeat(40), [{ name: deployment, digest }]);
  return line === undefined
    ? md`${commentMarker}\n${text}`
    : md`${commentMarker}\n${line}\n${text}`;
}

const [a, b] = [".github/workflows/a.yml", ".github/workflows/b--> .yml"];
const always = { create: true };

test("each workflow keeps its comment, with or without an approval, and writes only changes", async () => {
  const { pullRequest, bodies, written } = conversation();
  for (const text of [md`first`, md`second`, md`second`]) {
    await stickyComment(viewWorkflowComments(pullRequest, a), preview(text, "staging"), always);
    await stickyComment(viewWorkflowComments(pullRequest, b), preview(text), always);
  }
  expect(bodies()).toEqual([
    "(approval) / <!-- qvs-action:by .github%2Fworkflows%2Fa.yml --> / second",
    "<!-- qvs-action:by .github%2Fworkflows%2Fb%2D%2D%3E%20.yml --> / second",
  ]);
  expect(written).toEqual(["#1", "#2", "#1", "#2"]);
});

test("a comment of an earlier version belongs to the first workflow that finds it", async () => {
  const { pullRequest, put, bodies } = conversation();
  put(1, `${commentMarker}\nwritten by an earlier version`);
  put(2, `${commentMarker}\nwritten by a person`, "ann");
  await stickyComment(viewWorkflowComments(pullRequest, a), preview(md`of a`), always);
  await stickyComment(viewWorkflowComments(pullRequest, b), preview(md`of b`), always);
  await stickyComment(viewWorkflowComments(pullRequest, a), preview(md`of a again`), always);
  expect(bodies()).toEqual([
    "<!-- qvs-action:by .github%2Fworkflows%2Fa.yml --> / of a again",
    "written by a person",
    "<!-- qvs-action:by .github%2Fworkflows%2Fb%2D%2D%3E%20.yml --> / of b",
  ]);
});

test("a preview line that imitates a workflow's marker is ignored", async () => {
  const { pullRequest, bodies } = conversation();
  const forged = md`text\n<!-- qvs-action:by .github%2Fworkflows%2Fa.yml -->`;
  await stickyComment(viewWorkflowComments(pullRequest, b), preview(forged), always);
  await stickyComment(viewWorkflowComments(pullRequest, a), preview(md`of a`), always);
  expect(bodies()).toHaveLength(2);
});

test("the outcome is written to the comment that shows the deployment, and no other is deleted", async () => {
  const { pullRequest, bodies } = conversation();
  for (const [workflow, name] of [
    [a, "staging"],
    [b, "production"],
  ] as const)
    await stickyComment(
      viewWorkflowComments(pullRequest, workflow),
      preview(md`plan`, name),
      always,
    );
  const reportOutcome = (name: string) => {
    const outcome = renderOutcomes([missingResult(name).outcome], "c0ffee", undefined);
    return addOutcome(viewDeploymentComment(pullRequest, [name]), outcome, { create: false });
  };
  await reportOutcome("production");
  const [first, second] = bodies();
  expect(first).not.toContain("outcome");
  expect(second).toMatch(
    /^\(approval\) \/ <!-- qvs-action:by \S+ --> \/ <!-- qvs-action:outcome -->/,
  );
  // A late preview leaves the outcome there. If no comment shows the deployment, the oldest comment
  // has the outcome.
  await stickyComment(
    viewWorkflowComments(pullRequest, b),
    preview(md`late`, "production"),
    always,
  );
  expect(bodies()[1]).toMatch(/qvs-action:outcome[\s\S]*late/);
  await reportOutcome("unknown");
  expect(bodies()[0]).toContain("qvs-action:outcome");
  expect(bodies()).toHaveLength(2);
});

test.each([
  ["acme/shop/.github/workflows/plan.yml@refs/heads/main", ".github/workflows/plan.yml"],
  ["acme/shop/.github/workflows/a@b.yaml@refs/pull/7/merge", ".github/workflows/a@b.yaml"],
  ["", undefined],
])("the workflow of %s", (GITHUB_WORKFLOW_REF, expected) => {
  expect(workflowPath({ GITHUB_WORKFLOW_REF })).toBe(expected);
});
