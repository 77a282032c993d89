import { annotate } from "../io/github/annotations.ts";
import type { GitHubClient } from "../io/github/client.ts";
import { logLines } from "../io/github/log.ts";
import { answerOf, explainRefusal } from "../io/github/refusal.ts";
import { describeProblem } from "../model/problems/errors.ts";
import type { Problem } from "../model/problems/problem.ts";
import { clientFor, type ToAskGitHub } from "./context.ts";
import type { Inputs } from "./inputs/inputs.ts";

/** The permission that a comment needs. */
const toComment = "pull-requests: write";

/**
 * Runs optional work on GitHub, such as writing a comment.
 * Every error becomes a warning and doesn't change the outcome of the step. The summary, the
 * outputs and the annotations contain the same information.
 */
export async function bestEffortGitHub(
  doing: string,
  work: () => Promise<void>,
  permissions = toComment,
): Promise<void> {
  try {
    await work();
  } catch (error) {
    const { why, fix } = explainRefusal(error, permissions);
    const reasons = [answerOf(error), why].filter((each) => each !== undefined);
    warn(`Cannot ${doing}: ${reasons.join(": ")}`, fix);
  }
}

/** Optional output to GitHub, and the input that disables it. */
interface Optional {
  /** Completes "Cannot …". */
  readonly doing: string;
  readonly permissions?: string;
  /** The input that disables it. */
  readonly unless: string;
}

/**
 * Creates a client for optional output. Without a token, prints a warning and returns undefined.
 */
export function clientToWrite(
  { doing, permissions = toComment, unless }: Optional,
  { env, signal, sent, silence }: ToAskGitHub,
  inputs: Pick<Inputs, "token">,
): GitHubClient | undefined {
  const client = clientFor({ env, sent, silence, signal: signal && laterThan(signal) }, inputs);
  if (client === undefined) {
    const fix = `Leave the input out to use the job's own token, and give the job \`permissions: ${permissions}\`, or set \`${unless}\``;
    warn(`Cannot ${doing}: the input token is empty`, fix);
  }
  return client;
}

/**
 * The time in milliseconds that requests to GitHub get after a cancellation, to report the outcome.
 * GitHub waits 7.5 s for a canceled job to end, sends SIGTERM, and kills it 2.5 s later
 * (docs.github.com/actions/reference/workflows-and-actions/workflow-cancellation).
 */
const grace = 5_000;

function laterThan(signal: AbortSignal): AbortSignal {
  const controller = new AbortController();
  const end = () => setTimeout(() => controller.abort(signal.reason), grace).unref();
  if (signal.aborted) end();
  else signal.addEventListener("abort", end, { once: true });
  return controller.signal;
}

function warn(what: string, fix: string): void {
  const warning: Problem = { code: "github-api-error", where: [], what, fix };
  logLines(describeProblem(warning));
  annotate([warning], "warning", "QVS");
}
