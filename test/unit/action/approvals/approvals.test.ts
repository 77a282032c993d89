import { expect, test } from "vitest";
import {
  pullRequestApproval,
  readFoundApprovals,
  selectApprovedPlans,
  together,
  writeFoundApprovals,
} from "../../../../src/action/approvals/found-approvals.ts";
import { keyedMarker } from "../../../../src/action/comments/own-comments.ts";
import { type Approval, operationCode } from "../../../../src/model/plan/approval.ts";
import type {
  Account,
  ReviewedComment,
  ReviewedPullRequest,
  TextAtMerge,
} from "../../../../src/ports/github.ts";
import {
  parseApprovals,
  readApprovals,
  writeApprovals,
} from "../../../../src/report/comment/approval-line.ts";
import { commentMarker } from "../../../../src/report/comment/render-comment.ts";

const head = "a".repeat(40);
const digest = "0123456789abcdef".repeat(4);
const code = (key: string) => operationCode({ key, action: "update", digest });
const bot: Account = { login: "github-actions", isBot: true };
const person: Account = { login: "mallory", isBot: false };

function body(approvals: Readonly<Record<string, Approval>>, commit = head): string {
  const line = writeApprovals({ commit, approvals: new Map(Object.entries(approvals)) });
  return `${commentMarker}\n<!-- qvs-action:approval v1 ${line} -->\n## 1 to update\n`;
}

const shop = { shop: { digest, operations: [code("web")] } };

function pull(
  comment: Partial<ReviewedComment> | undefined,
  other: Partial<ReviewedPullRequest> = {},
): ReviewedPullRequest {
  const text = comment?.body ?? body(shop);
  const comments = comment && [
    { body: text, seen: knownText(text), isOurs: true, author: bot, editors: [], ...comment },
  ];
  const where = { baseBranch: "main", merged: true, fromFork: false };
  return { number: 12, head, ...where, comments: comments ?? [], ...other };
}

function knownText(text: string): TextAtMerge {
  return { type: "text", text };
}

function found(given: ReviewedPullRequest): unknown {
  const result = pullRequestApproval(given);
  return "missing" in result ? result.missing : Object.fromEntries(result.deployments);
}

const edited =
  "the comment on #12 was edited by mallory, so it isn't an approval: delete the comment and run the preview again";

test.each<[string, ReviewedPullRequest, unknown]>([
  ["qvs's comment at the head", pull({}), shop],
  ["a comment that qvs has rewritten", pull({ editors: [bot, bot] }), shop],
  [
    "a comment with the line ends of a browser",
    pull({ body: body(shop).replaceAll("\n", "\r\n") }),
    shop,
  ],
  [
    "the comments of two workflows, one of them for an earlier commit",
    pull(undefined, {
      comments: [
        body(shop),
        body({ api: { digest } }),
        body({ old: { digest } }, "b".repeat(40)),
      ].map((text) => ({
        body: text,
        seen: knownText(text),
        isOurs: true,
        author: bot,
        editors: [],
      })),
    }),
    { ...shop, api: { digest } },
  ],
  ["no comment", pull(undefined), "#12 has no comment from qvs"],
  ["a forged author", pull({ isOurs: false, author: person }), "#12 has no comment from qvs"],
  [
    "the comment of a deleted account, which can't be compared with its editors",
    pull({ author: undefined, editors: [bot] }),
    "the comment on #12 was edited by github-actions[bot], so it isn't an approval: delete the comment and run the preview again",
  ],
  [
    "an edit by a person with the name of the bot",
    pull({ editors: [{ login: "github-actions", isBot: false }] }),
    "the comment on #12 was edited by github-actions, so it isn't an approval: delete the comment and run the preview again",
  ],
  ["an edited comment", pull({ editors: [bot, person] }), edited],
  ["an edit that qvs has overwritten", pull({ editors: [person, bot] }), edited],
  [
    "a comment whose editor GitHub doesn't report",
    pull({ editors: undefined }),
    "GitHub doesn't report who edited the comment on #12: delete the comment and run the preview again",
  ],
  [
    "a stale comment",
    pull({ body: body(shop, "b".repeat(40)) }),
    "the comment on #12 shows the plan of commit bbbbbbbbbbbb, but the merged commit is aaaaaaaaaaaa",
  ],
  [
    "a comment without a plan",
    pull({ body: `${commentMarker}\n## 🛑 does not compile\n` }),
    "the comment on #12 contains no plan that the merge could approve",
  ],
  [
    "a marker on a later line, where a value could imitate it",
    pull({ body: `${commentMarker}\n## 1\n${body(shop).split("\n")[1]}\n` }),
    "the comment on #12 contains no plan that the merge could approve",
  ],
  [
    "the content at the merge, whatever it contains later",
    pull({
      body: body({ shop: { digest, operations: [code("other")] } }),
      seen: knownText(body(shop)),
    }),
    shop,
  ],
  [
    "a line that did not exist at the merge",
    pull({ seen: knownText(`${commentMarker}\n## 🛑 does not compile\n`) }),
    "the comment on #12 contains no plan that the merge could approve",
  ],
  [
    "a text at the merge that qvs didn't write",
    pull({ seen: knownText(body(shop).replace(commentMarker, "@@ -1 +1 @@")) }),
    "the comment on #12 contains no plan that the merge could approve",
  ],
  [
    "a comment that was written after the merge",
    pull({ seen: { type: "later" } }),
    "the comment on #12 was written after the merge, so it approves nothing",
  ],
  [
    "a comment whose content at the merge is unknown",
    pull({ seen: { type: "unknown" } }),
    "GitHub doesn't report what the comment on #12 showed at the merge, and it was changed later",
  ],
  [
    "a comment without qvs's first line",
    pull({ body: body(shop).split("\n").slice(1).join("\n") }),
    "#12 has no comment from qvs",
  ],
  [
    "a fork",
    pull({}, { fromFork: true }),
    "#12 is from a fork, and qvs plans forks without the cluster",
  ],
])("%s", (_, given, expected) => {
  expect(found(given)).toEqual(expected);
});

test("only the comment with the comment-key of the workflow approves", () => {
  const staging = pull({ body: body(shop).replace(commentMarker, keyedMarker("staging")) });
  const of = (given: ReviewedPullRequest, key: string) =>
    "deployments" in pullRequestApproval(given, keyedMarker(key));
  expect(of(staging, "staging")).toBe(true);
  expect(of(staging, "production")).toBe(false);
  expect(of(pull({}), "production")).toBe(false);
  expect(found(staging)).toBe("#12 has no comment from qvs");
});

test("the approvals of a comment are read as written", () => {
  const approvals = {
    "shop-prod": { digest, operations: [code("a"), code("b")] },
    "a b=c/ä": { digest, operations: [] },
  };
  expect(Object.fromEntries(parseApprovals(body(approvals))?.approvals ?? [])).toEqual(approvals);
});

test.each([
  "",
  head,
  `${head} shop`,
  `${head} shop=abc`,
  `abc shop=${"A".repeat(43)}`,
  `${head} shop=${"A".repeat(43)}.u`,
  `${head} shop=${"A".repeat(43)}.x${"A".repeat(17)}`,
  `${head} %=${"A".repeat(43)}`,
])("%j isn't an approval", (text) => {
  expect(readApprovals(text)?.approvals.size ?? 0).toBe(0);
});

const many = (number: number) => Array.from({ length: number }, (_, index) => code(`key ${index}`));

test("the largest plans are identified only by their digests if the comment has no room", () => {
  const approvals = {
    small: { digest, operations: many(3) },
    huge: { digest, operations: many(5_000) },
    middle: { digest, operations: many(400) },
  };
  const line = writeApprovals({ commit: head, approvals: new Map(Object.entries(approvals)) });
  expect(line.length).toBeLessThan(8_500);
  const read = readApprovals(line)?.approvals;
  expect([...(read ?? [])].map(([name, each]) => [name, each.operations?.length])).toEqual([
    ["small", 3],
    ["huge", undefined],
    ["middle", 400],
  ]);
});

test("a thousand deployments fit into the comment", () => {
  const approvals = new Map(
    Array.from({ length: 1_000 }, (_, index) => [
      `shop-${index}`,
      { digest, operations: many(20) },
    ]),
  );
  const line = writeApprovals({ commit: head, approvals });
  expect(line.length).toBeLessThan(25_000);
  expect(readApprovals(line)?.approvals.size).toBeGreaterThan(300);
});

test("several pull requests approve together, and one without a comment is reported with its reason", () => {
  const two = pull({}, { number: 13, comments: [] });
  const all = together([pullRequestApproval(pull({})), pullRequestApproval(two)]);
  expect(selectApprovedPlans(all, "shop", "require")).toEqual({
    policy: "require",
    approvals: [{ by: "#12", ...shop.shop }],
    missing: ["#13 has no comment from qvs"],
  });
  expect(selectApprovedPlans(all, "toString", "warn")).toEqual({
    policy: "warn",
    approvals: [],
    missing: [
      "#13 has no comment from qvs",
      "the comment on #12 contains no plan of toString that the merge could approve",
    ],
  });
});

test("a job passes the approvals on to other jobs", () => {
  const all = together([pullRequestApproval(pull({})), pullRequestApproval(pull(undefined))]);
  expect(readFoundApprovals(writeFoundApprovals(all))).toMatchObject(all);
  for (const text of ["", "[]", '{"version":2,"approved":[],"missing":[]}'])
    expect(readFoundApprovals(text)).toBeUndefined();
});

test("approvals for other jobs fit into a variable, with as many plans as possible", () => {
  const deployments = Array.from({ length: 300 }, (_, index) => ({
    name: `shop-${index}`,
    digest,
    operations: many(index === 0 ? 1 : 100),
  }));
  const text = writeFoundApprovals({ approved: [{ by: "#1", deployments }], missing: [] });
  expect(Buffer.byteLength(text)).toBeLessThan(131_072);
  const [first] = readFoundApprovals(text)?.approved ?? [];
  expect(first?.deployments.find(({ name }) => name === "shop-0")?.operations).toHaveLength(1);
  expect(first?.deployments).toHaveLength(300);
});
