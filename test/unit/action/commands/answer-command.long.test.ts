import { expect, test, vi } from "vitest";
import { runAction } from "../../../../src/action/run-action.ts";
import type { Compiler } from "../../../../src/ports/cue.ts";
import { useFakeGitHub } from "../../../support/fake-github/use.ts";
import { environment, GitFixture } from "../../../support/git/git-fixture.ts";
import { asStep, stepEnvironment } from "../../../support/plan/step.ts";

const github = useFakeGitHub();
const noCompiler = { compile: () => Promise.reject(new Error("Nothing is compiled.")) } as never;
const head = "c".repeat(40);

const deploymentsFile = JSON.stringify({
  deployments: [
    { name: "shop-staging", config: "qvs.yaml" },
    { name: "shop-production", config: "qvs.yaml", environment: "production" },
  ],
});

interface Comment {
  readonly author?: string;
  readonly inputs?: Readonly<Record<string, string>>;
  readonly action?: string;
  readonly onIssue?: boolean;
  /** Moves the branch to another commit than the checked-out one. */
  readonly unmerged?: boolean;
}

/** Runs the Action on a comment on pull request 7, with the default branch checked out. */
async function commented(body: string, comment: Comment = {}) {
  const { author = "writer", inputs = {}, action = "created", onIssue = false } = comment;
  const git = new GitFixture();
  const commit = git.commit({ ".valuestream/deployments.yaml": deploymentsFile });
  const { state } = github();
  state.branches.set("main", comment.unmerged ? ["d".repeat(40)] : [commit]);
  for (const [login, permission] of [
    ["writer", "write"],
    ["owner", "admin"],
    ["reader", "read"],
    ["writing-app[bot]", "write"],
  ] as const)
    state.collaborators.set(login, permission);
  const user = { login: author, type: author.endsWith("[bot]") ? "Bot" : "User" };
  const payload = {
    action,
    issue: { number: 7, ...(onIssue ? {} : { pull_request: {} }) },
    comment: { id: 99, body, created_at: "2026-03-01T10:00:00Z", user },
    repository: { default_branch: "main" },
  };
  const step = stepEnvironment(payload, {
    ...environment,
    PATH: environment.PATH ?? "",
    GITHUB_EVENT_NAME: "issue_comment",
    GITHUB_REPOSITORY: "acme/shop",
    GITHUB_SERVER_URL: "https://github.com",
    GITHUB_RUN_ID: "42",
    GITHUB_WORKSPACE: git.directory,
    GITHUB_API_URL: github().apiUrl,
  });
  vi.stubEnv("INPUT_TOKEN", "token");
  for (const [name, value] of Object.entries(inputs)) vi.stubEnv(`INPUT_${name}`, value);
  const result = await asStep(() => runAction(step.env, noCompiler as Compiler));
  const comments = state.comments.map((each) => each.body);
  const reactions = state.reactions.map((each) => each.replace("99 ", ""));
  return { ...result, comments, reactions, outputs: step.outputs() };
}

const started = () => github().state.dispatches;

function openPull(state: "open" | "closed" = "open") {
  github().state.openPulls.push({ number: 7, branch: "feature", from: "fork/shop", head, state });
}

function previewRun(id: number, commit = head, status: "completed" | "in_progress" = "completed") {
  const run = { id, workflow: "plan.yml", commit, status, attempts: 1 };
  github().state.runs.push(run);
  return run;
}

test("/qvs help answers with the commands", async () => {
  const { comments, reactions, outputs, exitCode } = await commented("/qvs help");
  expect(exitCode).toBeUndefined();
  expect(reactions).toEqual(["eyes", "rocket"]);
  expect(comments).toHaveLength(1);
  expect(comments[0]).toContain("`/qvs rollback DEPLOYMENT [REVISION]`");
  expect(outputs).toMatch(/command<<\S+\nhelp\n/);
});

test("/qvs plan repeats the newest preview of the current commit", async () => {
  openPull();
  const older = previewRun(1);
  const newest = previewRun(2);
  const other = previewRun(3, "e".repeat(40));
  const { comments, reactions } = await commented("/qvs plan");
  expect(reactions).toEqual(["eyes", "rocket"]);
  expect(comments).toEqual([]);
  expect([older, newest, other].map(({ attempts }) => attempts)).toEqual([1, 2, 1]);
  expect(started()).toEqual([]);
});

test("/qvs plan doesn't repeat the preview of another branch or fork with the same commit", async () => {
  openPull();
  const own = previewRun(1);
  const others = [
    { branch: "copy", from: "fork/shop" },
    { branch: "feature", from: "other/shop" },
  ].map((place, index) => ({ ...previewRun(index + 2), ...place }));
  github().state.runs.splice(1, 2, ...others);
  await commented("/qvs plan");
  expect([own, ...others].map(({ attempts }) => attempts)).toEqual([2, 1, 1]);
});

test("/qvs plan names a preview that is running, and doesn't start it again", async () => {
  openPull();
  const run = previewRun(1, head, "in_progress");
  const { comments } = await commented("/qvs plan");
  expect(run.attempts).toBe(1);
  expect(comments[0]).toContain("already running");
});

test.each([
  ["no run of the current commit", () => previewRun(1, "e".repeat(40))],
  ["no such workflow", () => {}],
])("/qvs plan explains that there is %s", async (_, prepare) => {
  openPull();
  prepare();
  const { comments, reactions } = await commented("/qvs plan");
  expect(reactions).toEqual(["eyes", "confused"]);
  expect(comments[0]).toContain("no run of `plan.yml` exists for commit `cccccccccccc`");
});

test("/qvs plan doesn't preview a closed pull request", async () => {
  openPull("closed");
  const run = previewRun(1);
  const { comments } = await commented("/qvs plan");
  expect(run.attempts).toBe(1);
  expect(comments[0]).toContain("#7 is closed");
});

test.each([
  ["shop-staging", "previous@2026-03-01T10:00:00Z", undefined],
  ["shop-staging 3", "3", undefined],
  ["shop-production", "previous@2026-03-01T10:00:00Z", "production"],
])("/qvs rollback %s starts the workflow on the default branch", async (words, revision, env) => {
  github().state.workflows.add("rollback.yml");
  const { comments, reactions, exitCode } = await commented(`/qvs rollback ${words}`);
  expect(exitCode).toBeUndefined();
  const deployment = words.split(" ")[0];
  const inputs = { deployment, revision, ...(env === undefined ? {} : { environment: env }) };
  expect(started()).toEqual([{ workflow: "rollback.yml", ref: "main", inputs }]);
  expect(reactions).toEqual(["eyes", "rocket"]);
  expect(comments[0]).toContain(`Rollback of \`${deployment}\``);
  expect(comments[0]).toContain("as `writer` requested");
  expect(comments[0]).toContain("https://github.com/acme/shop/actions/workflows/rollback.yml");
});

test("/qvs rollback starts one rollback, even if GitHub doesn't confirm it", async () => {
  github().state.workflows.add("rollback.yml");
  github().failNext(502, 3, { part: "/dispatches", isDone: true });
  const { comments, reactions, exitCode, log } = await commented("/qvs rollback shop-staging");
  expect(started()).toHaveLength(1);
  expect(exitCode).toBe(1);
  expect(reactions).toEqual(["eyes", "confused"]);
  expect(comments[0]).toContain("didn't confirm that it started the workflow rollback.yml");
  expect(log).toContain("Look at the runs of rollback.yml");
});

test("a preview that GitHub starts without confirming it is started once", async () => {
  openPull();
  const run = previewRun(1);
  github().failNext(502, 1, { part: "/rerun", isDone: true });
  const { comments, reactions } = await commented("/qvs plan");
  expect(run.attempts).toBe(2);
  expect(reactions).toEqual(["eyes", "rocket"]);
  expect(comments).toEqual([]);
});

test("an answer that GitHub writes without confirming it is written once", async () => {
  // The same answer to an earlier comment isn't the answer to this one.
  github().state.add(7, "github-actions[bot]", (await commented("/qvs help")).comments[0] ?? "");
  github().state.comments.splice(1);
  github().failNext(502, 1, { part: "/issues/7/comments", method: "POST", isDone: true });
  const { comments } = await commented("/qvs help");
  expect(comments).toHaveLength(2);
});

test("/qvs rollback names the deployments for a name that doesn't exist", async () => {
  github().state.workflows.add("rollback.yml");
  const { comments, reactions } = await commented("/qvs rollback shop-stagin");
  expect(started()).toEqual([]);
  expect(reactions).toEqual(["eyes", "confused"]);
  expect(comments[0]).toContain("Did you mean `shop-staging`?");
  expect(comments[0]).toContain("Deployments: `shop-staging`, `shop-production`");
});

test("/qvs rollback reads the deployments only from the default branch", async () => {
  github().state.workflows.add("rollback.yml");
  const { comments, exitCode } = await commented("/qvs rollback shop-staging", { unmerged: true });
  expect(exitCode).toBe(1);
  expect(started()).toEqual([]);
  expect(comments[0]).toContain("isn't on the branch main");
});

test("a workflow that doesn't exist fails the step and answers the comment", async () => {
  const { comments, reactions, exitCode, log } = await commented("/qvs rollback shop-staging");
  expect(exitCode).toBe(1);
  expect(reactions).toEqual(["eyes", "confused"]);
  expect(comments[0]).toContain("can't start the workflow rollback.yml");
  expect(comments[0]).toContain("(https://github.com/acme/shop/actions/runs/42)");
  expect(log).toContain("actions: write");
});

test.each([["reader"], ["stranger"], ["some-app[bot]"], ["writing-app[bot]"]])(
  "%s can't start anything and gets no comment",
  async (author) => {
    openPull();
    const run = previewRun(1);
    github().state.workflows.add("rollback.yml");
    for (const body of ["/qvs plan", "/qvs rollback shop-staging", "/qvs help"]) {
      const { comments, exitCode, outputs } = await commented(body, { author });
      expect(exitCode).toBeUndefined();
      expect(comments).toEqual([]);
      expect(outputs).not.toContain("command");
    }
    expect(run.attempts).toBe(1);
    expect(started()).toEqual([]);
    expect(new Set(github().state.reactions)).toEqual(new Set(["99 -1"]));
  },
);

test.each([
  ["an edited comment", "/qvs plan", { action: "edited" }],
  ["a comment on an issue", "/qvs plan", { onIssue: true }],
  ["another comment", "Looks good", {}],
])("%s is ignored without a request", async (_, body, comment) => {
  const { log, reactions } = await commented(body, comment);
  expect(log).toContain("The comment has no command for qvs.");
  expect(reactions).toEqual([]);
  expect(github().requests).toEqual([]);
});

test("an answer quotes a word without its markup", async () => {
  const { comments } = await commented("/qvs @octocat<img>`[x](http://evil)");
  expect(comments[0]).toContain("There is no command ``@octocat<img>`[x](http://evil)``.");
});

test("the names of the workflows are files in .github/workflows", async () => {
  openPull();
  github().state.runs.push({
    id: 5,
    workflow: "p.yaml",
    commit: head,
    status: "completed",
    attempts: 1,
  });
  await commented("/qvs plan", { inputs: { "PLAN-WORKFLOW": ".github/workflows/p.yaml" } });
  expect(github().state.runs[0]?.attempts).toBe(2);
  const { log } = await commented("/qvs plan", { inputs: { "PLAN-WORKFLOW": "../other" } });
  expect(log).toContain("plan-workflow");
});
