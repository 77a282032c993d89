import type { IncomingHttpHeaders } from "node:http";
import { backOff } from "exponential-backoff";
import { isSchemaError } from "./failure.ts";
import type { Pace } from "./pace.ts";
import { codeOf } from "./unreachable.ts";

/** What became of one attempt: the whole answer, or the error that came in its place. */
export type Outcome =
  | {
      readonly type: "answered";
      readonly status: number;
      readonly headers: IncomingHttpHeaders;
      readonly text: string;
    }
  | { readonly type: "unanswered"; readonly error: unknown };

export interface LastOutcome {
  readonly outcome: Outcome;
  /** An attempt may have been carried out although its answer says nothing of it: it was cut off, or a 5xx. */
  readonly doubtful: boolean;
}

/** Carries the outcome of an attempt through the backoff library, which repeats what throws. */
class WorthRepeating extends Error {
  readonly outcome: Outcome;

  constructor(outcome: Outcome) {
    super("worth repeating");
    this.outcome = outcome;
  }
}

/**
 * Attempts a request until there is an answer that repeating it won't better. What was certainly not carried out is
 * always repeated; what may have been, only if the request is `repeatable`: a second time does no harm.
 */
export async function retry(
  attempt: () => Promise<Outcome>,
  repeatable: boolean,
  pace: Pace,
): Promise<LastOutcome> {
  let doubtful = false;
  const once = async () => {
    const outcome = await attempt();
    const fate = fateOf(outcome);
    if (fate === "unknown") doubtful = true;
    if (fate === "refused for now" || (fate === "unknown" && repeatable)) {
      throw new WorthRepeating(outcome);
    }
    return outcome;
  };
  try {
    const outcome = await backOff(once, {
      numOfAttempts: pace.attempts,
      startingDelay: pace.firstDelay,
      maxDelay: pace.longestDelay,
      jitter: "full",
      retry: (error, attempts) => isWorthAnother(error, attempts, pace),
    });
    return { outcome, doubtful };
  } catch (error) {
    if (error instanceof WorthRepeating) return { outcome: error.outcome, doubtful };
    throw error;
  }
}

type Fate = "final" | "refused for now" | "unknown";

function fateOf(outcome: Outcome): Fate {
  if (outcome.type === "unanswered") return fateOfError(outcome.error);
  if (outcome.status === 429) return "refused for now";
  if (isSchemaError(outcome.text)) return "final";
  // 501 and 505 are about what was asked and stay as they are.
  return [500, 502, 503, 504].includes(outcome.status) ? "unknown" : "final";
}

/** Errors that come up before anything is sent. */
const neverSent = ["ECONNREFUSED", "EAI_AGAIN", "EHOSTUNREACH", "ENETUNREACH"];
/** Errors that leave open how far the request came; ABORT_ERR is our own time-out. */
const cutOff = [
  "ABORT_ERR",
  "ECONNRESET",
  "EPIPE",
  "ERR_STREAM_PREMATURE_CLOSE",
  "ETIMEDOUT",
  "Z_BUF_ERROR",
];

/** A wrong name or certificate does not become right by asking again. */
function fateOfError(error: unknown): Fate {
  const code = codeOf(error) ?? "";
  if (neverSent.includes(code)) return "refused for now";
  return cutOff.includes(code) ? "unknown" : "final";
}

/** Waits where the server asks for that. The library adds its own delay and stops at the last attempt by itself. */
async function isWorthAnother(error: unknown, attempts: number, pace: Pace): Promise<boolean> {
  if (!(error instanceof WorthRepeating)) return false;
  const { outcome } = error;
  if (isSlow(outcome) && attempts >= pace.slowAttempts) return false;
  if (outcome.type === "unanswered" || attempts >= pace.attempts) return true;
  const seconds = Number(outcome.headers["retry-after"] ?? 0);
  if (seconds > 0) await pace.sleep(Math.min(seconds * 1000, pace.longestRetryAfter));
  return true;
}

function isSlow(outcome: Outcome): boolean {
  return outcome.type === "answered"
    ? outcome.status === 500
    : codeOf(outcome.error) === "ABORT_ERR";
}
