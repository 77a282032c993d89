import { expect, test } from "vitest";
import { pullRequestApproval } from "../../../../src/action/approvals/found-approvals.ts";
import type { GitHubClient } from "../../../../src/io/github/client.ts";
import { readPullRequests } from "../../../../src/io/github/reviewed-pull-requests.ts";
import { writeApprovals } from "../../../../src/report/comment/approval-line.ts";
import { commentMarker } from "../../../../src/report/comment/render-comment.ts";
import { answerGraphql } from "../../../support/fake-github/graphql.ts";
import { State, type StoredComment } from "../../../support/fake-github/state.ts";

const bot = "github-actions[bot]";
const digest = "0123456789abcdef".repeat(4);

/** Returns the comment about the plan of a deployment. */
function bodyOf(commit: string, deployment: string): string {
  const approvals = new Map([[deployment, { digest, operations: [] }]]);
  const line = writeApprovals({ commit, approvals });
  return `${commentMarker}\n<!-- qvs-action:approval v1 ${line} -->\nplan`;
}

/**
 * Returns the approval of a pull request after all events of `happens`, one per second. At the end,
 * the pull request is merged, unless it already is.
 */
async function decided(happens: Happens): Promise<string> {
  const state = new State();
  happens(state, state.add(1, bot, bodyOf(merged, "shop")));
  if (state.pulls.length === 0) mergedNow(state);
  const server = { state, login: bot, apiUrl: "" };
  const graphql = async (query: string, variables: object) => {
    const body = { query, variables };
    const url = new URL("https://github.example/graphql");
    const { body: answer, wrong } = answerGraphql(server, { method: "POST", url, body });
    if (wrong !== undefined) throw new Error(wrong);
    return (answer as { readonly data: unknown }).data;
  };
  const client = { graphql } as unknown as GitHubClient;
  const where = { owner: "acme", repo: "shop", marker: commentMarker };
  const pulls = await readPullRequests(client, where, [1]);
  return pulls
    .map((pull) => pullRequestApproval(pull))
    .map((it) => ("missing" in it ? it.missing : [...it.deployments.keys()].join(" ")))
    .join("\n");
}

type Happens = (state: State, comment: StoredComment) => void;

const merged = "c".repeat(40);

function mergedNow(state: State, more: object = {}): void {
  state.pulls.push({ number: 1, mergeCommit: merged, head: merged, ...more });
}

const other = bodyOf(merged, "other");
const nothing = `${commentMarker}\nnothing`;
const unknown =
  "GitHub doesn't report what the comment on #1 showed at the merge, and it was changed later";
const later = "the comment on #1 was written after the merge, so it approves nothing";

test.each<[string, Happens, string]>([
  ["was edited before the merge", (state, comment) => state.edit(comment, bot, other), "other"],
  [
    "was edited after the merge",
    (state, comment) => {
      mergedNow(state);
      state.edit(comment, bot, other);
      state.edit(comment, bot, nothing);
    },
    "shop",
  ],
  [
    "was edited before and after the merge",
    (state, comment) => {
      state.edit(comment, bot, nothing);
      state.edit(comment, bot, other);
      mergedNow(state);
      state.edit(comment, bot, bodyOf(merged, "third"));
    },
    "other",
  ],
  [
    "had no plan before the merge",
    (state, comment) => {
      state.edit(comment, bot, nothing);
      mergedNow(state);
      state.edit(comment, bot, other);
    },
    "the comment on #1 contains no plan that the merge could approve",
  ],
  [
    "was written after the merge",
    (state, { id }) => {
      const [shown] = state.comments.splice(0);
      mergedNow(state);
      expect(state.remove(id)).toBe(false);
      state.add(1, bot, shown?.body ?? "");
    },
    later,
  ],
  [
    "was written in the second of the merge",
    (state, comment) => mergedNow(state, { mergedAt: comment.createdAt }),
    later,
  ],
  [
    "was edited in the second of the merge",
    (state, comment) => {
      state.edit(comment, bot, other);
      mergedNow(state, { mergedAt: comment.versions.at(-1)?.at });
    },
    "shop",
  ],
  [
    "was edited while it waited in the merge queue",
    (state, comment) => {
      const queuedAt = state.now();
      state.edit(comment, bot, other);
      mergedNow(state, { queuedAt });
    },
    "shop",
  ],
  [
    "was merged at a time that GitHub doesn't report",
    (state) => mergedNow(state, { mergedAt: undefined }),
    later,
  ],
  [
    "has lost its content at the merge from its history",
    (state, comment) => {
      state.edit(comment, bot, other);
      mergedNow(state);
      state.edit(comment, bot, nothing);
      const [, seen] = comment.versions;
      if (seen !== undefined) seen.deletedAt = state.now();
    },
    unknown,
  ],
  [
    "was edited differently twice in the second before the merge",
    (state, comment) => {
      state.edit(comment, bot, other);
      state.edit(comment, bot, nothing);
      const [, one, two] = comment.versions;
      if (one !== undefined && two !== undefined) comment.versions[2] = { ...two, at: one.at };
      mergedNow(state);
      state.edit(comment, bot, other);
    },
    unknown,
  ],
  [
    "was edited before the merge, with a text in the history that was changed after it",
    (state, comment) => {
      state.edit(comment, bot, nothing);
      const [, seen] = comment.versions;
      mergedNow(state);
      state.edit(comment, bot, other);
      if (seen !== undefined) {
        seen.body = other;
        seen.updatedAt = state.now();
      }
    },
    unknown,
  ],
  [
    "was changed after the merge without an edit in its history",
    (state, comment) => {
      mergedNow(state);
      comment.body = other;
      comment.updatedAt = state.now();
    },
    unknown,
  ],
  [
    "was edited before the merge, and hidden after it",
    (state, comment) => {
      state.edit(comment, bot, other);
      mergedNow(state);
      comment.updatedAt = state.now();
    },
    "other",
  ],
])("qvs reads the approvals of a comment that %s", async (_, happens, expected) => {
  expect(await decided(happens)).toBe(expected);
});
