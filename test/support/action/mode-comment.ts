import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished, vi } from "vitest";
import { runAction } from "../../../src/action/run-action.ts";
import type { Compiler } from "../../../src/ports/cue.ts";
import { buildReview } from "../../../src/report/review/build-review.ts";
import type { Review } from "../../../src/report/review/review.ts";
import type { FakeGitHub } from "../fake-github/server.ts";
import { asStep, stepEnvironment } from "../plan/step.ts";
import { commentInput, shopDeployment, shopReport } from "../shop/shop-report.ts";

/** Returns the plan of a run for pull request 7. */
export function reviewNamed(name: string, changes: Partial<Review> = {}): Review {
  const report = shopReport({ deployment: shopDeployment({ name }) });
  return { ...buildReview({ ...commentInput(report), pullRequest: 7 }), ...changes };
}

export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "plans-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

interface CommentRun {
  readonly event: string;
  readonly payload: object;
  readonly inputs?: Readonly<Record<string, string>>;
  readonly env?: Readonly<Record<string, string>>;
}

/** Runs the Action with mode comment, in a job without a checkout. */
export async function runComment(
  github: FakeGitHub,
  { event, payload, inputs = {}, env = {} }: CommentRun,
) {
  const step = stepEnvironment(payload, {
    PATH: process.env.PATH ?? "",
    GITHUB_EVENT_NAME: event,
    GITHUB_REPOSITORY: "acme/shop",
    GITHUB_SERVER_URL: "https://github.com",
    GITHUB_RUN_ID: "42",
    GITHUB_WORKSPACE: temporaryFolder(),
    GITHUB_API_URL: github.apiUrl,
    ...env,
  });
  for (const [name, value] of Object.entries({ TOKEN: "token", MODE: "comment", ...inputs }))
    vi.stubEnv(`INPUT_${name}`, value);
  const result = await asStep(() => runAction(step.env, noCompiler));
  const comments = github.state.comments.map(({ body }) => body);
  return { ...result, comments, summary: step.summary(), outputs: step.outputs() };
}

const noCompiler: Compiler = {
  compile: () => Promise.reject(new Error("Nothing is compiled.")),
} as never;
