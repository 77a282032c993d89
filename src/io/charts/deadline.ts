/** The end of the time for one chart, with all of its requests and redirects. */
export interface Deadline {
  readonly signal: AbortSignal;
  /** A sentence about the limit. */
  readonly detail: string;
}

export interface TimeLimits {
  /** The maximum time for one chart in milliseconds. Default: two minutes. */
  readonly timeoutMs?: number;
  /** The maximum time for all charts of a run in milliseconds. Default: ten minutes. */
  readonly maxRunMs?: number;
}

/**
 * Returns a function that runs the work for one chart with a deadline. The time of a run is the sum
 * over its charts: a deployment between two charts can take hours.
 */
export function limitTime({
  timeoutMs = 120_000,
  maxRunMs = 600_000,
}: TimeLimits): <T>(work: (deadline: Deadline) => Promise<T>) => Promise<T> {
  let left = maxRunMs;
  return async (work) => {
    const started = performance.now();
    const detail =
      left < timeoutMs
        ? `All charts of the run took longer than ${maxRunMs / 1000} s`
        : `It took longer than ${timeoutMs / 1000} s`;
    const signal = AbortSignal.timeout(Math.max(0, Math.floor(Math.min(left, timeoutMs))));
    try {
      return await work({ signal, detail });
    } finally {
      left -= performance.now() - started;
    }
  };
}
