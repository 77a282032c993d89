import { annotate } from "../io/github/annotations.ts";
import type { GitHubClient } from "../io/github/client.ts";
import { logLines } from "../io/github/log.ts";
import type { Problem } from "../model/problems/problem.ts";
import { describeProblem } from "../model/problems/problem-text.ts";
import { type GitHubAccess, openGitHubClient } from "./context.ts";
import { emptyToken, githubProblem } from "./github-problem.ts";
import type { Inputs } from "./inputs/inputs.ts";

/** The permission that a comment needs. */
const commentPermission = "pull-requests: write";

/**
 * Runs optional work on GitHub, such as writing a comment.
 * Every error becomes a warning and doesn't change the outcome of the step. The summary, the
 * outputs and the annotations contain the same information.
 */
export async function bestEffortGitHub(
  doing: string,
  work: () => Promise<void>,
  permissions = commentPermission,
): Promise<void> {
  try {
    await work();
  } catch (error) {
    warn({ what: `qvs can't ${doing}`, ...githubProblem(error, permissions) });
  }
}

/** Optional output to GitHub, and the input that disables it. */
interface OptionalOutput {
  /** Completes "qvs can't …". */
  readonly doing: string;
  readonly permissions?: string;
  /** The input that disables it. */
  readonly unless: string;
}

/**
 * Creates a client for optional output. Without a token, prints a warning and returns undefined.
 */
export function openOptionalClient(
  { doing, permissions = commentPermission, unless }: OptionalOutput,
  { env, signal, sent, silence }: GitHubAccess,
  inputs: Pick<Inputs, "token">,
): GitHubClient | undefined {
  const client = openGitHubClient(
    { env, sent, silence, signal: signal && abortLater(signal) },
    inputs,
  );
  if (client === undefined) {
    const otherwise = [`set \`${unless}\``];
    warn({ what: `qvs can't ${doing}`, ...emptyToken(permissions), otherwise });
  }
  return client;
}

/**
 * The time in milliseconds that requests to GitHub get after a cancellation, to report the outcome.
 * GitHub waits 7.5 s for a canceled job to end, sends SIGTERM, and kills it 2.5 s later
 * (docs.github.com/actions/reference/workflows-and-actions/workflow-cancellation).
 */
const grace = 5_000;

function abortLater(signal: AbortSignal): AbortSignal {
  const controller = new AbortController();
  const end = () => setTimeout(() => controller.abort(signal.reason), grace).unref();
  if (signal.aborted) end();
  else signal.addEventListener("abort", end, { once: true });
  return controller.signal;
}

function warn(refused: Omit<Problem, "code" | "where">): void {
  const warning: Problem = { code: "github-api-error", where: [], ...refused };
  logLines(describeProblem(warning, "warning"));
  annotate([warning], "warning", "QVS");
}
