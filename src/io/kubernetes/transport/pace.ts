import { setTimeout as wait } from "node:timers/promises";
import type { Clock } from "../../../ports/clock.ts";

/** The timeouts and delays in milliseconds, and the numbers of attempts. Tests use shorter ones. */
export interface Pace {
  /** The time to connect, including TLS. */
  readonly connectTimeout: number;
  /**
   * The time for one answer, including its body. It exceeds the API server's own limit of 60 s,
   * whose error explains itself.
   */
  readonly answerTimeout: number;
  /** The maximum number of attempts of one request. */
  readonly attempts: number;
  /**
   * The same for slow failures: no answer, or a 500, most often from a failing admission webhook.
   */
  readonly slowAttempts: number;
  /**
   * The same before the server's first answer, when a wrong address is more likely than a
   * restarting server.
   */
  readonly firstContactAttempts: number;
  /**
   * The bounds of the delay between attempts. The delay doubles each time, and qvs waits a random
   * part of it.
   */
  readonly firstDelay: number;
  readonly longestDelay: number;
  /** The maximum wait for a Retry-After. */
  readonly longestRetryAfter: number;
  /** The duration of one watch request, before a new request resumes it. */
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
