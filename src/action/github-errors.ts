import { annotate } from "../io/github/annotations.ts";
import type { GitHubClient } from "../io/github/client.ts";
import {
  answerText,
  explainRefusal,
  type GitHubRefusal,
  isAbort,
} from "../io/github/explain-refusal.ts";
import { logLines } from "../io/github/log.ts";
import { UserError } from "../model/problems/errors.ts";
import type { Problem } from "../model/problems/problem.ts";
import { describeProblem } from "../model/problems/problem-text.ts";
import { type GitHubAccess, openGitHubClient } from "./context.ts";
import type { Inputs } from "./inputs/inputs.ts";

/**
 * Turns an error of GitHub into a UserError with a reason and a fix. `doing` completes
 * "qvs can't …".
 */
export async function explainGitHubErrors<T>(
  doing: string,
  permissions: string,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof UserError || isAbort(error)) throw error;
    const { why, fix } = explainRefusal(error, permissions);
    const what = `qvs can't ${doing}`;
    throw new UserError([{ code: "github-api-error", where: [], what, why: sentence(why), fix }]);
  }
}

/** Returns the reason for GitHub's refusal, its answer or the network's error, and the fix. */
function githubProblem(
  error: unknown,
  permissions: string,
): Pick<Problem, "why" | "facts" | "fix"> {
  const { why, fix } = explainRefusal(error, permissions);
  const answer = answerText(error);
  const facts = answer === undefined ? [] : [{ label: "error", value: answer }];
  return { why: sentence(why), facts, fix };
}

/** Returns the explanation for an action without a token. The job needs the permissions. */
export function emptyToken(permissions: string): GitHubRefusal {
  return {
    why: "The input token is empty",
    fix: `Remove the input token to use the job's own, and give the job \`permissions: ${permissions}\``,
  };
}

/** The answer of GitHub, or the reason why there is none. The reason is a sentence. */
export type GitHubReply<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly refusal: GitHubRefusal };

/** Asks GitHub something without which the run decides otherwise. Doesn't throw. */
export async function askGitHub<T>(
  permissions: string,
  access: GitHubAccess,
  inputs: Pick<Inputs, "token">,
  ask: (client: GitHubClient) => Promise<T>,
): Promise<GitHubReply<T>> {
  const client = openGitHubClient(access, inputs);
  if (client === undefined) return { ok: false, refusal: emptyToken(permissions) };
  try {
    return { ok: true, value: await ask(client) };
  } catch (error) {
    const { why, fix } = explainRefusal(error, permissions);
    return { ok: false, refusal: { why: sentence(why), fix } };
  }
}

/** Returns a part of a sentence as a sentence. */
export function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}

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

/** Returns a signal that aborts some time after a cancellation, to report the outcome. */
export function abortLater(signal: AbortSignal): AbortSignal {
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
