import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { reviewNamed, temporaryFolder } from "../../support/action/mode-comment.ts";
import { useFakeGitHub } from "../../support/fake-github/use.ts";
import { actionProgram } from "../../support/qvs/qvs-program.ts";
import { commentInput } from "../../support/shop/shop-report.ts";

const github = useFakeGitHub();
const { headCommit } = commentInput();

/** The time limit for a hanging process, in milliseconds. GitHub's runner ends it after 10 s. */
const patience = 300_000;

interface Cancelled {
  readonly name: string;
  readonly event: object;
  readonly inputs?: Readonly<Record<string, string>>;
  /** The request that GitHub never answers. */
  readonly silentAt: string;
  /** The seconds of Retry-After, with which GitHub answers instead of being silent. */
  readonly waits?: number | undefined;
}

/** Runs mode comment as a process while GitHub doesn't answer, and sends it SIGINT only. */
async function cancelled({ name, event, inputs = {}, silentAt, waits }: Cancelled) {
  const folder = temporaryFolder();
  for (const file of ["summary.md", "output.txt"]) writeFileSync(join(folder, file), "");
  writeFileSync(join(folder, "event.json"), JSON.stringify(event));
  if (waits === undefined) github().keepSilentAt(silentAt);
  else github().failNext(429, 9, { part: silentAt, headers: { "retry-after": `${waits}` } });
  const { PATH, HOME } = process.env;
  const child = spawn(process.execPath, ["--no-warnings", actionProgram], {
    env: {
      ...{ PATH, HOME, RUNNER_TEMP: folder, GITHUB_EVENT_NAME: name },
      ...{ GITHUB_REPOSITORY: "acme/shop", GITHUB_EVENT_PATH: join(folder, "event.json") },
      ...{ GITHUB_OUTPUT: join(folder, "output.txt"), GITHUB_API_URL: github().apiUrl },
      ...{
        GITHUB_STEP_SUMMARY: join(folder, "summary.md"),
        GITHUB_SERVER_URL: "https://github.com",
      },
      ...{ INPUT_MODE: "comment", INPUT_TOKEN: "token", ...inputs },
    },
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  let log = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (part) => (log += part));
  const ended = new Promise<number | null>((resolve) => child.on("close", resolve));
  await expect.poll(() => github().requests.join("\n")).toContain(silentAt);
  child.kill("SIGINT");
  const timer = setTimeout(() => child.kill("SIGKILL"), patience);
  const code = await ended;
  clearTimeout(timer);
  return { code, log };
}

const workflowRun = {
  id: 42,
  html_url: "https://github.com/acme/shop/actions/runs/42",
  event: "pull_request",
  actor: { login: "stranger" },
  head_sha: headCommit,
  head_branch: "patch",
  head_repository: { full_name: "stranger/shop" },
};

test.each([
  ["doesn't answer", undefined],
  ["asks to wait for a minute", 60],
])("a run that only reads ends when it is canceled while GitHub %s", async (_, waits) => {
  const event = { workflow_run: workflowRun };
  const settings = { name: "workflow_run", event, silentAt: "/pulls", waits };
  const { code, log } = await cancelled(settings);
  expect(code, log).toBe(1);
  expect(log).toContain("The run was canceled. Nothing was changed.");
  expect(log).not.toContain("::error");
});

test("a report to GitHub has a few seconds, and then qvs prints a warning", async () => {
  const plans = temporaryFolder();
  writeFileSync(join(plans, "plan.json"), JSON.stringify(reviewNamed("web")));
  const repo = { full_name: "acme/shop" };
  const sides = { base: { sha: "b".repeat(40), repo }, head: { sha: headCommit, repo } };
  const event = { pull_request: { number: 7, state: "open", ...sides } };
  github().state.openPulls.push({ number: 7, branch: "b", from: "acme/shop", head: headCommit });
  const inputs = { INPUT_PLANS: plans };
  const settings = { name: "pull_request", event, inputs, silentAt: "/comments" };
  const { code, log } = await cancelled(settings);
  expect(code, log).toBe(0);
  expect(log).toContain("qvs can't write the comment\n  why: The run was cancel");
});
