import { annotate } from "../io/github/annotations.ts";
import type { GitHubClient } from "../io/github/client.ts";
import { logLines } from "../io/github/log.ts";
import { answerOf, explainRefusal } from "../io/github/refusal.ts";
import type { Problem } from "../model/problems/problem.ts";
import { describeProblem } from "../model/problems/problem-text.ts";
import { clientFor, type ToAskGitHub } from "./context.ts";
import type { Inputs } from "./inputs/inputs.ts";

/** What every comment needs. */
const toComment = "pull-requests: write";

/**
 * A comment is optional: summary, outputs and annotations contain everything already, and what was deployed is
 * deployed. So any error with it becomes a warning and does not change the outcome of the step.
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

/** Something that is written to GitHub besides, and how to have none of it. */
interface Optional {
  /** Completes "Cannot …". */
  readonly doing: string;
  readonly permissions?: string;
  /** The input that turns it off. */
  readonly unless: string;
}

/** The client for it; undefined without a token, which is said. */
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
 * Of a job that is cancelled GitHub waits 7.5 s for the end, sends SIGTERM and ends it 2.5 s later
 * (docs.github.com/actions/reference/workflows-and-actions/workflow-cancellation). What was done is worth telling within that.
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
  logLines(describeProblem(warning, "warning"));
  annotate([warning], "warning", "QVS");
}
