import type { IncomingHttpHeaders } from "node:http";
import { backOff } from "exponential-backoff";
import { errorCode, isSchemaError } from "./failure.ts";
import type { Pace } from "./limits.ts";

/** The outcome of one attempt: the whole answer, or an error. */
export type RequestOutcome =
  | {
      readonly type: "answered";
      readonly status: number;
      readonly headers: IncomingHttpHeaders;
      readonly text: string;
    }
  | { readonly type: "unanswered"; readonly error: unknown };

export interface LastOutcome {
  readonly outcome: RequestOutcome;
  /**
   * True if an attempt might have been carried out without an answer that shows it: it was cut off,
   * or got a 5xx.
   */
  readonly outcomeUnknown: boolean;
}

/**
 * Carries the outcome of an attempt through the backoff library, which retries after an exception.
 */
class RetriableError extends Error {
  readonly outcome: RequestOutcome;

  constructor(outcome: RequestOutcome) {
    super("worth repeating");
    this.outcome = outcome;
  }
}

/**
 * Attempts a request until a retry wouldn't give a better answer. It always retries a request that
 * was certainly not carried out. It retries a request that might have been carried out only if it
 * is `repeatable`.
 */
export async function retry(
  attempt: () => Promise<RequestOutcome>,
  repeatable: boolean,
  pace: Pace,
): Promise<LastOutcome> {
  let outcomeUnknown = false;
  const once = async () => {
    const outcome = await attempt();
    const retryClass = classify(outcome);
    if (retryClass === "unknown") outcomeUnknown = true;
    if (retryClass === "refused for now" || (retryClass === "unknown" && repeatable)) {
      throw new RetriableError(outcome);
    }
    return outcome;
  };
  try {
    const outcome = await backOff(once, {
      numOfAttempts: pace.attempts,
      startingDelay: pace.firstDelay,
      maxDelay: pace.longestDelay,
      jitter: "full",
      retry: (error, attempts) => shouldRetry(error, attempts, pace),
    });
    return { outcome, outcomeUnknown };
  } catch (error) {
    if (error instanceof RetriableError) return { outcome: error.outcome, outcomeUnknown };
    throw error;
  }
}

type RetryClass = "final" | "refused for now" | "unknown";

function classify(outcome: RequestOutcome): RetryClass {
  if (outcome.type === "unanswered") return classifyError(outcome.error);
  if (outcome.status === 429) return "refused for now";
  // The errors 501 and 505 concern the request itself and don't change.
  if (![500, 502, 503, 504].includes(outcome.status)) return "final";
  return isSchemaError(outcome.text) ? "final" : "unknown";
}

/**
 * Errors before anything was sent. Those of the second list count only while the connection is
 * made.
 */
const neverSent = ["ECONNREFUSED", "EAI_AGAIN"];
const neverSentOnConnect = ["EHOSTUNREACH", "ENETUNREACH"];
/** Errors that don't show how far the request got. ABORT_ERR is qvs's own timeout. */
const cutOff = [
  "ABORT_ERR",
  "ECONNRESET",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "EPIPE",
  "ERR_STREAM_PREMATURE_CLOSE",
  "ETIMEDOUT",
  "Z_BUF_ERROR",
];

/** Classifies an error for a retry. A wrong name or certificate stays wrong. */
function classifyError(error: unknown): RetryClass {
  const code = errorCode(error) ?? "";
  if (neverSent.includes(code)) return "refused for now";
  if (neverSentOnConnect.includes(code) && isOnConnect(error)) return "refused for now";
  return cutOff.includes(code) ? "unknown" : "final";
}

/**
 * Reports whether an error occurred while connecting. Node.js names the failed system call. With
 * several addresses, it names the call of each attempt.
 */
function isOnConnect(error: unknown): boolean {
  if (error instanceof AggregateError) return error.errors.every(isOnConnect);
  return error instanceof Error && "syscall" in error && error.syscall === "connect";
}

/** Reports whether an attempted write might have changed something. */
export function mayHaveChanged(outcome: RequestOutcome): boolean {
  if (outcome.type === "unanswered") return classifyError(outcome.error) !== "refused for now";
  return outcome.status < 400 || outcome.status >= 500;
}

/**
 * Reports whether to retry, after the wait that the server requests. The library adds its own delay
 * and stops at the last attempt.
 */
async function shouldRetry(error: unknown, attempts: number, pace: Pace): Promise<boolean> {
  if (!(error instanceof RetriableError)) return false;
  const { outcome } = error;
  if (isSlow(outcome) && attempts >= pace.slowAttempts) return false;
  if (outcome.type === "unanswered" || attempts >= pace.attempts) return true;
  const seconds = Number(outcome.headers["retry-after"] ?? 0);
  if (seconds > 0) await pace.sleep(Math.min(seconds * 1000, pace.longestRetryAfter));
  return true;
}

function isSlow(outcome: RequestOutcome): boolean {
  return outcome.type === "answered"
    ? outcome.status === 500
    : errorCode(outcome.error) === "ABORT_ERR";
}
