import { vi } from "vitest";
import { runAction } from "../../../src/action/run-action.ts";
import type { Compiler } from "../../../src/ports/cue.ts";
import { environment } from "../git/git-fixture.ts";
import { asStep, type StepResult, stepEnvironment } from "../plan/step.ts";

/** One step with the Action, in this process. */
export interface ActionRun {
  readonly compiler: Compiler;
  readonly apiUrl: string;
  /** The checked-out directory. */
  readonly workspace: string;
  readonly name: "pull_request" | "push" | "workflow_dispatch";
  readonly payload: object;
  readonly inputs?: Readonly<Record<string, string>>;
  readonly env?: Readonly<Record<string, string>>;
}

export interface ActionResult extends StepResult {
  readonly summary: string;
  readonly outputs: string;
}

export async function runStep(run: ActionRun): Promise<ActionResult> {
  const step = stepEnvironment(run.payload, {
    ...environment,
    GITHUB_EVENT_NAME: run.name,
    GITHUB_REPOSITORY: "acme/shop",
    GITHUB_WORKSPACE: run.workspace,
    GITHUB_API_URL: run.apiUrl,
    ...run.env,
  });
  for (const [name, value] of Object.entries(run.inputs ?? {})) vi.stubEnv(`INPUT_${name}`, value);
  const result = await asStep(() => runAction(step.env, run.compiler));
  const written = { ...result, summary: step.summary(), outputs: step.outputs() };
  vi.unstubAllEnvs();
  return written;
}

interface PullRequestCommits {
  readonly base: string;
  readonly head: string;
}

/** Returns the payload of a pull request from the same repository. */
export function pullRequestPayload({ base, head }: PullRequestCommits, more: object = {}): object {
  const repo = { full_name: "acme/shop" };
  const pull_request = {
    number: 7,
    state: "open",
    base: { sha: base, repo },
    head: { sha: head, repo },
  };
  return { action: "synchronize", pull_request, ...more };
}

/** Returns the payload of a push to main. */
export function pushPayload(before: string, after: string): object {
  return { before, after, ref: "refs/heads/main", repository: { default_branch: "main" } };
}
