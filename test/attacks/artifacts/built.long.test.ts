import { expect, test } from "vitest";
import { reviewNamed, temporaryFolder } from "../../support/action/mode-comment.ts";
import { zip } from "../../support/action/zip.ts";
import { useFakeGitHub } from "../../support/fake-github/use.ts";
import { commentInput } from "../../support/shop/shop-report.ts";
import { startAction } from "../start-up/start-action.ts";

/** Runs the built Action in an empty directory, like comment.yml. */
const github = useFakeGitHub();
const { headCommit } = commentInput();

async function afterRun(plan: object) {
  const { artifacts, openPulls } = github().state;
  openPulls.push({ number: 7, branch: "patch", from: "evil/shop", head: headCommit });
  const archive = zip([{ name: "plan.json", content: JSON.stringify(plan) }]);
  artifacts.push({ id: 1, run: 42, name: "qvs-plan-0", zip: archive });
  const run = {
    id: 42,
    html_url: "https://github.com/acme/shop/actions/runs/42",
    event: "pull_request",
    actor: { login: "evil" },
    conclusion: "failure",
    head_sha: headCommit,
    head_branch: "patch",
    head_repository: { full_name: "evil/shop" },
  };
  const env = { GITHUB_API_URL: github().apiUrl, GITHUB_SERVER_URL: "https://github.com" };
  return startAction({
    workspace: temporaryFolder(),
    eventName: "workflow_run",
    event: { action: "completed", workflow_run: run },
    inputs: { token: "token", comment: "changes", summary: "true" },
    env,
  });
}

test("the built program writes the comment from the artifact of a fork's run", async () => {
  const { code, log } = await afterRun(reviewNamed("web"));
  expect(code, log).toBe(0);
  expect(github().state.comments).toMatchObject([{ issue: 7 }]);
  expect(github().state.comments[0]?.body).toContain("a run in the fork `evil/shop`");
});

test("the built program rejects an artifact for another pull request", async () => {
  const { code, log } = await afterRun(reviewNamed("web", { pullRequest: 8 }));
  expect(code).toBe(1);
  expect(log).toContain("is for another pull request");
  expect(github().state.comments).toEqual([]);
});
