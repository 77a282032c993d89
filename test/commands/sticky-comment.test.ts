import { expect, test } from "vitest";
import { stickyComment } from "../../src/commands/sticky-comment.ts";
import type { PullRequest, PullRequestComment } from "../../src/ports.ts";
import { commentMarker } from "../../src/report/comment.ts";

const ours = `${commentMarker}\nplan`;

/** A conversation in memory that writes down what was done to it. */
function conversation(...bodies: readonly (readonly [author: string, body: string])[]) {
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
    name: "the first comment is created when there is something to say",
    before: [["octocat", "LGTM"]],
    create: true,
    calls: ["create"],
    after: ["1 LGTM", "2 new plan"],
  },
  {
    name: "nothing is created when there is nothing to say",
    before: [["octocat", "LGTM"]],
    create: false,
    calls: [],
    after: ["1 LGTM"],
  },
  {
    name: "a comment that is there is kept current even then",
    before: [["bot", ours]],
    create: false,
    calls: ["update 1"],
    after: ["1 new plan"],
  },
  {
    name: "a comment that says the same already is not touched",
    before: [["bot", `${commentMarker}\r\nnew plan\r\n`]],
    create: true,
    calls: [],
    after: ["1 new plan\r"],
  },
  {
    name: "somebody else's comment with our marker is left alone",
    before: [["octocat", ours]],
    create: true,
    calls: ["create"],
    after: ["1 plan", "2 new plan"],
  },
  {
    name: "our comment that only quotes the marker is left alone",
    before: [["bot", `> quoted\n${commentMarker}`]],
    create: true,
    calls: ["create"],
    after: [`1 ${commentMarker}`, "2 new plan"],
  },
  {
    name: "of duplicates the oldest stays",
    before: [
      ["bot", ours],
      ["bot", ours],
    ],
    create: true,
    calls: ["delete 2", "update 1"],
    after: ["1 new plan"],
  },
] as const;

for (const { name, before, create, calls, after } of cases) {
  test(name, async () => {
    const talk = conversation(...before);
    await stickyComment(talk.pullRequest, `${commentMarker}\nnew plan\n`, { create });
    expect(talk.calls).toEqual(calls);
    expect(talk.bodies()).toEqual(after);
  });
}

test("of two runs that created one each, the second takes its own back and updates the first", async () => {
  const talk = conversation();
  let first = true;
  const racing: PullRequest = {
    ...talk.pullRequest,
    comments: async () => {
      const seen = await talk.pullRequest.comments();
      if (first) await talk.pullRequest.createComment(`${commentMarker}\nother run`);
      first = false;
      return seen;
    },
  };
  const url = await stickyComment(racing, `${commentMarker}\nthis run`, { create: true });
  expect(talk.bodies()).toEqual(["1 this run"]);
  expect(url).toBe("#1");
});

test("a body that GitHub finds too long is halved once", async () => {
  const talk = conversation();
  const strict: PullRequest = {
    ...talk.pullRequest,
    createComment: async (body) => {
      if (body.length > 100) throw Object.assign(new Error("Body is too long"), { status: 422 });
      return talk.pullRequest.createComment(body);
    },
  };
  const shorten = (limit: number) => `${commentMarker}\n${"x".repeat(limit)}`.slice(0, limit);
  await stickyComment(strict, shorten(180), { create: true, shorten });
  expect((await talk.pullRequest.comments())[0]?.body).toHaveLength(90);
});
