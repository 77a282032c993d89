import { expect, test } from "vitest";
import { addOutcome, stickyComment } from "../../../../src/action/comments/sticky-comment.ts";
import type { PullRequest, PullRequestComment } from "../../../../src/ports/github.ts";
import { code, md } from "../../../../src/redaction/markdown.ts";
import { renderOutcomes } from "../../../../src/report/comment/outcome-comment.ts";
import { commentMarker } from "../../../../src/report/comment/render-comment.ts";

const qvsComment = `${commentMarker}\nplan`;

/** Creates a conversation in memory that records each change. */
function pullRequest(...bodies: readonly (readonly [author: string, body: string])[]) {
  let nextId = 1;
  const make = (author: string, body: string, id = nextId++): PullRequestComment => ({
    id,
    author,
    body,
    url: `#${id}`,
  });
  let comments = bodies.map(([author, body]) => make(author, body));
  const calls: string[] = [];
  const pullRequest: PullRequest = {
    number: 7,
    author: async () => "bot",
    comments: async () => comments,
    createComment: async (body) => {
      calls.push("create");
      const created = make("bot", body);
      comments = [...comments, created];
      return created;
    },
    updateComment: async (id, body) => {
      calls.push(`update ${id}`);
      const updated = make("bot", body, id);
      comments = comments.map((comment) => (comment.id === id ? updated : comment));
      return updated;
    },
    deleteComment: async (id) => {
      calls.push(`delete ${id}`);
      comments = comments.filter((comment) => comment.id !== id);
    },
  };
  return {
    pullRequest,
    calls,
    bodies: () => comments.map(({ id, body }) => `${id} ${body.split("\n")[1] ?? body}`),
  };
}

const cases = [
  {
    name: "the first comment is created if there is something to report",
    before: [["octocat", "LGTM"]],
    create: true,
    calls: ["create"],
    after: ["1 LGTM", "2 new plan"],
  },
  {
    name: "nothing is created if there is nothing to report",
    before: [["octocat", "LGTM"]],
    create: false,
    calls: [],
    after: ["1 LGTM"],
  },
  {
    name: "an existing comment is updated even then",
    before: [["bot", qvsComment]],
    create: false,
    calls: ["update 1"],
    after: ["1 new plan"],
  },
  {
    name: "a comment with the same text isn't changed",
    before: [["bot", `${commentMarker}\r\nnew plan\r\n`]],
    create: true,
    calls: [],
    after: ["1 new plan\r"],
  },
  {
    name: "another user's comment with qvs's marker isn't changed",
    before: [["octocat", qvsComment]],
    create: true,
    calls: ["create"],
    after: ["1 plan", "2 new plan"],
  },
  {
    name: "qvs's own comment that only quotes the marker isn't changed",
    before: [["bot", `> quoted\n${commentMarker}`]],
    create: true,
    calls: ["create"],
    after: [`1 ${commentMarker}`, "2 new plan"],
  },
  {
    name: "the oldest of several duplicates stays",
    before: [
      ["bot", qvsComment],
      ["bot", qvsComment],
    ],
    create: true,
    calls: ["delete 2", "update 1"],
    after: ["1 new plan"],
  },
] as const;

for (const { name, before, create, calls, after } of cases) {
  test(name, async () => {
    const talk = pullRequest(...before);
    await stickyComment(talk.pullRequest, md`${commentMarker}\nnew plan\n`, { create });
    expect(talk.calls).toEqual(calls);
    expect(talk.bodies()).toEqual(after);
  });
}

/** Returns a preview as it is folded below an outcome. */
const folded = (preview: string) =>
  `<details><summary>Preview</summary>\n\n${preview}\n\n</details>\n`;

test("the second of two concurrent runs deletes its own comment and updates the first", async () => {
  const talk = pullRequest();
  let first = true;
  const racing: PullRequest = {
    ...talk.pullRequest,
    comments: async () => {
      const seen = await talk.pullRequest.comments();
      if (first) await talk.pullRequest.createComment(md`${commentMarker}\nother run`);
      first = false;
      return seen;
    },
  };
  const url = await stickyComment(racing, md`${commentMarker}\nthis run`, { create: true });
  expect(talk.bodies()).toEqual(["1 this run"]);
  expect(url).toBe("#1");
});

test("a body that is too long for GitHub is halved once", async () => {
  const talk = pullRequest();
  const strict: PullRequest = {
    ...talk.pullRequest,
    createComment: async (body) => {
      if (body.length > 100) throw Object.assign(new Error("Body is too long"), { status: 422 });
      return talk.pullRequest.createComment(body);
    },
  };
  const shorten = (limit: number) =>
    md`${commentMarker}\n${code("x".repeat(limit - commentMarker.length - 3))}`;
  await stickyComment(strict, shorten(180), { create: true, shorten });
  expect((await talk.pullRequest.comments())[0]?.body).toHaveLength(90);
});

/** Returns a conversation whose comments are deleted just before each change. */
function deletedConcurrently(talk: ReturnType<typeof pullRequest>): PullRequest {
  const deleteThenFail = async (id: number): Promise<never> => {
    await talk.pullRequest.deleteComment(id);
    throw Object.assign(new Error("Not Found"), { status: 404 });
  };
  return { ...talk.pullRequest, updateComment: deleteThenFail, deleteComment: deleteThenFail };
}

const outcome = renderOutcomes([], "abc", undefined);

test("a comment that is deleted during the run is created again", async () => {
  const talk = pullRequest(["bot", qvsComment], ["bot", qvsComment]);
  const body = md`${commentMarker}\nnew plan`;
  const url = await stickyComment(deletedConcurrently(talk), body, { create: true });
  expect(talk.bodies()).toEqual(["3 new plan"]);
  expect(url).toBe("#3");
});

test("a deleted comment isn't created again without changes to report", async () => {
  const talk = pullRequest(["bot", qvsComment]);
  const body = md`${commentMarker}\nno changes`;
  const url = await stickyComment(deletedConcurrently(talk), body, { create: false });
  expect(talk.bodies()).toEqual([]);
  expect(url).toBeUndefined();
});

test("a comment that is deleted during its update with an outcome is created again with its preview", async () => {
  const talk = pullRequest(["bot", qvsComment]);
  await addOutcome(deletedConcurrently(talk), outcome, { create: false });
  const [comment] = await talk.pullRequest.comments();
  expect(comment?.body).toBe(`${commentMarker}\n${outcome}\n\n${folded("plan")}`);
});

test("a later preview keeps the outcome at the top", async () => {
  const withOutcome = `${commentMarker}\n${outcome}\n\nplan`;
  const talk = pullRequest(["bot", withOutcome.replaceAll("\n", "\r\n")]);
  const update = (text: string) =>
    stickyComment(talk.pullRequest, md`${commentMarker}\n${code(text)}`, { create: true });
  await update("late");
  const [comment] = await talk.pullRequest.comments();
  expect(comment?.body).toBe(`${commentMarker}\n${outcome}\n\n${folded("`late`")}`);
  await update("late");
  expect(talk.calls).toEqual(["update 1"]);
});

test("the outcome stays if the preview is shortened", async () => {
  const talk = pullRequest(["bot", `${commentMarker}\n${outcome}\n\nplan`]);
  const strict: PullRequest = {
    ...talk.pullRequest,
    updateComment: async (id, body) => {
      if (body.includes("long")) throw Object.assign(new Error("too long"), { status: 422 });
      return talk.pullRequest.updateComment(id, body);
    },
  };
  const shorten = () => md`${commentMarker}\nshort`;
  await stickyComment(strict, md`${commentMarker}\nlong`, { create: true, shorten });
  const [comment] = await talk.pullRequest.comments();
  expect(comment?.body).toBe(`${commentMarker}\n${outcome}\n\n${folded("short")}`);
});

test.each([
  { create: true, calls: ["create"] },
  { create: false, calls: [] },
])("an outcome without a comment: $create", async ({ create, calls }) => {
  const talk = pullRequest(["octocat", "LGTM"]);
  await addOutcome(talk.pullRequest, outcome, { create });
  expect(talk.calls).toEqual(calls);
});

test("a new outcome replaces the previous one", async () => {
  const talk = pullRequest(["bot", `${commentMarker}\n${outcome}\n\nplan`]);
  const second = renderOutcomes([], "def", undefined);
  await addOutcome(talk.pullRequest, second, { create: false });
  const [comment] = await talk.pullRequest.comments();
  expect(comment?.body).toBe(`${commentMarker}\n${second}\n\n${folded("plan")}`);
});
