import { setTimeout as wait } from "node:timers/promises";
import type { Clock } from "../../../ports/clock.ts";

/** How long to wait for what, in milliseconds. Tests shorten it. */
export interface Pace {
  /** For a connection to stand, TLS included. */
  readonly connectTimeout: number;
  /** For one answer, its body included. Longer than the API server's own limit of 60 s, which explains itself. */
  readonly answerTimeout: number;
  /** How often one request is sent, at most. */
  readonly attempts: number;
  /** The same where each may take long: no answer, or a 500, most often from an admission webhook that fails. */
  readonly slowAttempts: number;
  /** The same before the server has ever answered: then the address is more likely wrong than the server restarting. */
  readonly firstContactAttempts: number;
  /** Bounds of the delay between attempts, which doubles and is then drawn at random from below that. */
  readonly firstDelay: number;
  readonly longestDelay: number;
  /** A Retry-After beyond this is cut down to it. */
  readonly longestRetryAfter: number;
  /** How long one watch request lasts before it is resumed with a new one. */
  readonly watchDuration: number;
  readonly sleep: Clock["sleep"];
}

export const defaultPace: Pace = {
  connectTimeout: 10_000,
  answerTimeout: 65_000,
  attempts: 8,
  slowAttempts: 3,
  firstContactAttempts: 3,
  firstDelay: 250,
  longestDelay: 8_000,
  longestRetryAfter: 30_000,
  watchDuration: 300_000,
  sleep: async (milliseconds, signal) => {
    await wait(milliseconds, undefined, signal === undefined ? {} : { signal });
  },
};
