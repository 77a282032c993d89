import { expect, test } from "vitest";
import type { ActionContext } from "../../../../src/action/context.ts";
import type { Inputs } from "../../../../src/action/inputs/inputs.ts";
import { notifyPullRequests } from "../../../../src/action/pull-requests/notify-pull-requests.ts";
import { openRepository } from "../../../../src/io/git/repository.ts";
import { commentMarker } from "../../../../src/report/comment/render-comment.ts";
import type { OutcomeReport } from "../../../../src/report/outcome-report.ts";
import { useFakeGitHub } from "../../../support/fake-github/use.ts";
import { environment, GitFixture } from "../../../support/git/git-fixture.ts";
import { asStep } from "../../../support/plan/step.ts";

const github = useFakeGitHub();

/**
 * Creates the push of a merge queue: pull request 1 was squashed, 2 was merged with both of its
 * commits.
 */
function mergeQueue() {
  const git = new GitFixture();
  const before = git.commit({ a: "0" });
  const squashed = git.commit({ a: "1" });
  git.git("checkout", "--quiet", "-b", "two");
  const own = [git.commit({ b: "1" }), git.commit({ b: "2" })];
  git.git("checkout", "--quiet", "main");
  git.git("merge", "--quiet", "--no-ff", "--message=Merge two", "two");
  const after = git.git("rev-parse", "HEAD");
  github().state.pulls.push(
    { number: 1, mergeCommit: squashed },
    { number: 2, mergeCommit: after, commits: own },
  );
  return { git, before, squashed, own, after };
}

async function notify(
  { git, before, after }: Pick<ReturnType<typeof mergeQueue>, "git" | "before" | "after">,
  { succeeded = true, comment = "changes" }: { succeeded?: boolean; comment?: string } = {},
) {
  const repository = await openRepository(git.directory, environment);
  const outcome: OutcomeReport = {
    deployment: "shop",
    environment: undefined,
    revision: 2,
    rollbackOf: undefined,
    succeeded,
    results: [],
    evidence: [],
    refusal: undefined,
  };
  const tree = { read: async (path: string) => workflows[path] };
  const event = {
    type: "push",
    before,
    after,
    ref: "refs/heads/main",
    defaultBranch: "main",
  } as const;
  const context = {
    world: { repository, source: { tree } },
    env: {
      GITHUB_API_URL: github().apiUrl,
      GITHUB_SERVER_URL: "https://github.com",
      GITHUB_REPOSITORY: "acme/shop",
    },
    runUrl: undefined,
    repository: { owner: "acme", repo: "shop" },
    commit: after,
  } as unknown as ActionContext;
  const inputs = { comment, token: "t" } as unknown as Inputs;
  return asStep(() => notifyPullRequests([outcome], event, inputs, context));
}

const workflows: Readonly<Record<string, string>> = { ".github/workflows/rollback.yml": "on: {}" };

const bot = "github-actions[bot]";

/** Returns the comments by pull request, with their first line that isn't a marker. */
function comments(): readonly string[] {
  return github().state.comments.map(({ issue, body }) => {
    const [first] = body.split("\n").filter((line) => line !== "" && !line.startsWith("<!--"));
    return `#${issue} ${first}`;
  });
}

test("every pull request of a push gets the outcome once", async () => {
  for (const number of [1, 2]) github().state.add(number, bot, `${commentMarker}\nplan`);
  await notify(mergeQueue());
  expect(comments()).toEqual([
    "#1 ## ✅ Deployed shop as release 2",
    "#2 ## ✅ Deployed shop as release 2",
  ]);
  expect(github().requests.filter((request) => request.startsWith("PATCH"))).toHaveLength(2);
  expect(github().state.comments[0]?.body).toContain(
    "· [roll back](https://github.com/acme/shop/actions/workflows/rollback.yml) · [revert](https://docs.github.com/",
  );
  expect(github().requests.filter((request) => request.includes("graphql"))).toHaveLength(1);
});

test.each([
  { comment: "changes", succeeded: true, told: 0 },
  { comment: "changes", succeeded: false, told: 2 },
  { comment: "always", succeeded: true, told: 2 },
  { comment: "never", succeeded: false, told: 0 },
])("without comments: comment $comment, succeeded $succeeded", async (how) => {
  await notify(mergeQueue(), how);
  expect(comments()).toHaveLength(how.told);
  if (how.comment === "never") expect(github().requests).toEqual([]);
});

test("a pull request that rejects the comment doesn't stop the others", async () => {
  for (const number of [1, 2]) github().state.add(number, bot, `${commentMarker}\nplan`);
  github().failNext(403, 1, { method: "PATCH", message: "Unable to update: issue is locked." });
  const { log, exitCode } = await notify(mergeQueue());
  expect(exitCode).toBeUndefined();
  expect(log).toContain("::warning title=QVS::qvs can't comment on the merged pull request #2");
  expect(log).toContain("conversation is locked");
  expect(comments()).toEqual(["#1 ## ✅ Deployed shop as release 2", "#2 plan"]);
});

test("the pull requests that qvs found before an error of GitHub get the outcome", async () => {
  for (const number of [1, 2]) github().state.add(number, bot, `${commentMarker}\nplan`);
  const pushed = mergeQueue();
  github().failNext(403, 1, {
    part: `/${pushed.squashed}/pulls`,
    message: "Resource not accessible by integration",
  });
  const { log } = await notify(pushed);
  expect(log).toContain("qvs can't find the merged pull requests\n  error: GitHub answered 403");
  expect(comments()).toEqual(["#1 plan", "#2 ## ✅ Deployed shop as release 2"]);
});

test("at most twenty pull requests get the outcome", async () => {
  const pushed = mergeQueue();
  for (let number = 3; number < 30; number++) {
    github().state.pulls.push({ number, mergeCommit: pushed.after });
  }
  const { log } = await notify(pushed);
  expect(github().requests.filter((request) => request.includes("/issues/"))).toHaveLength(20);
  expect(log).toContain("the newest 20 merged pull requests");
});

test("qvs asks GitHub for the pushed commits if the clone lacks the previous commit", async () => {
  const { git, squashed, own, after } = mergeQueue();
  const before = "b".repeat(40);
  github().state.pushes.push({ before, commits: [squashed, ...own, after] });
  for (const number of [1, 2]) github().state.add(number, bot, `${commentMarker}\nplan`);
  await notify({ git, before, after });
  expect(comments().filter((line) => line.includes("✅"))).toHaveLength(2);
});

test("the newest commit represents the push if GitHub doesn't know the pushed commits", async () => {
  const { git, after } = mergeQueue();
  for (const number of [1, 2]) github().state.add(number, bot, `${commentMarker}\nplan`);
  for (const before of ["b".repeat(40), "0".repeat(40)]) await notify({ git, before, after });
  expect(comments()).toEqual(["#1 plan", "#2 ## ✅ Deployed shop as release 2"]);
});
