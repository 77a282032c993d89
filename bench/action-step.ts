import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startFakeGitHub } from "../test/support/fake-github/server.ts";
import { type Cost, timed } from "./timed.ts";

/** The Action's program of this tree. */
export const actionProgram = join(import.meta.dirname, "../dist/index.js");

/** One step of a workflow with the Action, in the repository `acme/fleet`. */
export interface ActionStep {
  /** The path of the Action's program. */
  readonly program: string;
  /** The checked-out repository. */
  readonly directory: string;
  readonly event: { readonly name: "pull_request" | "push"; readonly payload: object };
  readonly mode: "deploy" | "diff" | "list";
  /** The path of the kubeconfig; empty for no cluster. */
  readonly kubeconfig: string;
}

export interface ActionStepResult {
  readonly cost: Cost;
  /** The number of requests to GitHub. */
  readonly githubRequests: number;
  /** The lengths of the comment and of the summary. */
  readonly comment: number;
  readonly summary: number;
}

const repo = { full_name: "acme/fleet" };

/** Returns the event of a pull request from the same repository. */
export function pullRequestEvent(base: string, head: string): ActionStep["event"] {
  const pull_request = { number: 7, base: { sha: base, repo }, head: { sha: head, repo } };
  return { name: "pull_request", payload: { action: "synchronize", pull_request } };
}

/** Returns the event of a push to the default branch. */
export function pushEvent(before: string, after: string): ActionStep["event"] {
  const repository = { ...repo, default_branch: "main" };
  return { name: "push", payload: { before, after, ref: "refs/heads/main", repository } };
}

/** Runs the Action once as a whole process, with a server that replaces GitHub. */
export async function runActionStep(step: ActionStep): Promise<ActionStepResult> {
  const github = await startFakeGitHub();
  const folder = mkdtempSync(join(tmpdir(), "qvs-bench-step-"));
  const file = (name: string, text = "") => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  const env = {
    GITHUB_EVENT_NAME: step.event.name,
    GITHUB_EVENT_PATH: file("event.json", JSON.stringify(step.event.payload)),
    GITHUB_REPOSITORY: repo.full_name,
    GITHUB_WORKSPACE: step.directory,
    GITHUB_API_URL: github.apiUrl,
    GITHUB_OUTPUT: file("output.txt"),
    GITHUB_STEP_SUMMARY: file("summary.md"),
    RUNNER_TEMP: folder,
    INPUT_TOKEN: "token",
    INPUT_MODE: step.mode,
    KUBECONFIG: step.kubeconfig,
  };
  const settings = Object.entries(env).map(([name, value]) => `${name}=${value}`);
  try {
    const args = [...settings, process.execPath, step.program];
    const { cost } = await timed({ program: "env", args, directory: step.directory });
    return {
      cost,
      githubRequests: github.requests.length,
      comment: github.state.comments[0]?.body.length ?? 0,
      summary: readFileSync(join(folder, "summary.md")).length,
    };
  } finally {
    rmSync(folder, { recursive: true });
    await github.close();
  }
}
