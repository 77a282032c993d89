import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import type { Review } from "../../../../src/report/review/review.ts";
import { reviewNamed, runComment, temporaryFolder } from "../../../support/action/mode-comment.ts";
import { useFakeGitHub } from "../../../support/fake-github/use.ts";
import { commentInput } from "../../../support/shop/shop-report.ts";

const github = useFakeGitHub();
const { headCommit } = commentInput();

/** Runs the Action with mode comment on a pull request, after files were downloaded. */
async function commented(
  files: Readonly<Record<string, string>>,
  inputs: Readonly<Record<string, string>> = {},
  prepare: (folder: string) => void = () => {},
) {
  const folder = temporaryFolder();
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(folder, dirname(path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  prepare(folder);
  const repo = { full_name: "acme/shop" };
  const sides = { base: { sha: "b".repeat(40), repo }, head: { sha: headCommit, repo } };
  const payload = { action: "opened", pull_request: { number: 7, state: "open", ...sides } };
  const given = { PLANS: folder, ...inputs };
  return runComment(github(), { event: "pull_request", payload, inputs: given });
}

const json = (review: Review) => JSON.stringify(review);

test("the plans of several jobs make one comment, summary and page", async () => {
  const files = {
    "qvs-plan-1/plan.json": json(reviewNamed("web")),
    "qvs-plan-0/plan.json": json(reviewNamed("api")),
    "qvs-plan-0/notes.txt": "no plan",
  };
  const { exitCode, comments, summary, outputs } = await commented(files);
  expect(exitCode).toBeUndefined();
  expect(comments).toHaveLength(1);
  expect(comments[0]).toContain("## 🟢 Ready · 2 deployments");
  expect(comments[0]?.indexOf("`api`")).toBeLessThan(comments[0]?.indexOf("`web`") ?? 0);
  expect(summary.trim()).toBe(comments[0]?.trim());
  expect(outputs).toMatch(/comment-url<<[\s\S]*to-create<<|to-create<<[\s\S]*comment-url<</);
  const [, page = ""] = /preview-html<<\S+\n(.*)\n/.exec(outputs) ?? [];
  expect(readFileSync(page, "utf8")).toContain("2 deployments");
});

test("plans of another list of deployments in the same run are left to its own comment", async () => {
  const files = {
    "qvs-plan-web/plan.json": json(reviewNamed("web")),
    "qvs-plan-other/plan.json": json(reviewNamed("other")),
  };
  const { comments, outputs } = await commented(files, { DEPLOYMENT: '["web"]' });
  expect(comments[0]).toContain("`web`");
  expect(comments[0]).not.toContain("other");
  expect(outputs).toMatch(/plan-digest<<\S+\n[0-9a-f]+\n/);
});

test("a late run keeps the comment of a newer commit", async () => {
  const newer = { number: 7, branch: "feature", from: "acme/shop", head: "e".repeat(40) };
  github().state.openPulls.push(newer);
  const files = { "a/plan.json": json(reviewNamed("web")) };
  const { exitCode, comments, summary, log } = await commented(files);
  expect(exitCode).toBeUndefined();
  expect(comments).toEqual([]);
  expect(summary).toContain("`web`");
  expect(log).toContain(
    "Pull request #7 has a newer commit. The run of that commit writes the comment.",
  );
  newer.head = headCommit;
  expect((await commented(files)).comments).toHaveLength(1);
});

test("the comment's job and its check have the verdict of all jobs", async () => {
  const plans = {
    "a/plan.json": json(reviewNamed("web", { failed: false })),
    "b/plan.json": json(reviewNamed("api", { failed: true })),
  };
  const red = await commented(plans, { CHECK: "qvs" });
  expect(red.exitCode).toBe(1);
  expect(red.comments).toHaveLength(1);
  const checks = () => github().state.checks.map(({ name, conclusion }) => `${name} ${conclusion}`);
  expect(checks()).toEqual(["qvs failure"]);
  const { "a/plan.json": green } = plans;
  expect((await commented({ "a/plan.json": green }, { CHECK: "qvs" })).exitCode).toBeUndefined();
  expect(checks()).toEqual(["qvs failure", "qvs success"]);
});

test("a deployment without a plan from its job is reported at the top", async () => {
  const files = { "a/plan.json": json(reviewNamed("web")) };
  const { comments, outputs, exitCode } = await commented(files, { DEPLOYMENT: '["web","api"]' });
  expect(comments[0]).toContain("## 🛑 Only a part of this pull request can be previewed");
  expect(comments[0]).toContain('**"api" has no plan**');
  expect(comments[0]).toContain("`web`");
  expect(outputs).not.toContain("has-deletions");
  expect(exitCode).toBe(1);
});

test.each<[string, Readonly<Record<string, string>>, string]>([
  [
    "of another commit",
    { "a.json": json(reviewNamed("web", { headCommit: "a".repeat(40) })) },
    '"a.json" is for another commit',
  ],
  [
    "of the same deployment twice",
    { "a.json": json(reviewNamed("web")), "b.json": json(reviewNamed("web")) },
    '"web" has 2 plans',
  ],
  ["that can't be read", { "a.json": "{", "b.json": "[]" }, '"a.json" can\'t be read'],
])("a plan %s is rejected, and no comment is written", async (_, files, message) => {
  const { exitCode, comments, log } = await commented(files);
  expect(exitCode).toBe(1);
  expect(comments).toEqual([]);
  expect(log).toContain(message);
});

test("links are not followed", async () => {
  const elsewhere = join(temporaryFolder(), "plan.json");
  writeFileSync(elsewhere, json(reviewNamed("secret")));
  const { comments } = await commented({ "a/plan.json": json(reviewNamed("web")) }, {}, (folder) =>
    symlinkSync(elsewhere, join(folder, "b.json")),
  );
  expect(comments[0]).not.toContain("secret");
});

test("mode comment needs the directory of plans", async () => {
  const { exitCode, log } = await commented({}, { PLANS: "" });
  expect(exitCode).toBe(1);
  expect(log).toContain("Mode comment needs the input plans");
});
