import { setTimeout as wait } from "node:timers/promises";
import type { Clock } from "../../../ports/clock.ts";

/**
 * The limits for the answers of an API server, in bytes unless noted otherwise. No working cluster
 * reaches them; tests use lower ones.
 */
export interface AnswerBounds {
  /** The size of one answer, uncompressed. A page of a list has 500 objects. */
  readonly answer: number;
  /** The size of one answer with a status of 300 or above. */
  readonly refusal: number;
  /** The size of all pages of a list, and of all objects that a watch has reported. */
  readonly list: number;
  /** The number of pages of one list, enough for a million objects. */
  readonly pages: number;
  /**
   * Milliseconds for all pages together. The API server's continue tokens expire after five
   * minutes.
   */
  readonly listDuration: number;
  /**
   * The size of one line of a watch, which is one object. The API server accepts at most 3 MiB per
   * object.
   */
  readonly line: number;
  /**
   * The number of API versions that a server without aggregated discovery can list. Each of them
   * costs a request.
   */
  readonly versions: number;
}

const mebibyte = 1 << 20;

export const defaultBounds: AnswerBounds = {
  answer: 256 * mebibyte,
  refusal: 3 * mebibyte,
  list: 512 * mebibyte,
  pages: 2_000,
  listDuration: 600_000,
  line: 16 * mebibyte,
  versions: 5_000,
};

/** An answer that exceeds the bounds. A retry would only return the same answer. */
export class BoundsExceeded extends Error {}

export function mebibytes(bytes: number): string {
  return `${bytes / mebibyte} MiB`;
}

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
