/** One attempt at a write that another client can interfere with. */
export interface WriteAttempt<T> {
  readonly answer: T;
  /**
   * Set only if another client's write caused the failure.
   * Prepares the next attempt, or returns the final answer if a retry is pointless.
   */
  readonly prepareRetry?: () => Promise<T | undefined>;
  /** The maximum number of retries (default: `defaultRetries`). */
  readonly maxRetries?: number;
}

const defaultRetries = 10;

/** Repeats a write as long as it fails only because another client wrote at the same time. */
export async function retryConflicts<T>(
  signal: AbortSignal,
  attempt: () => Promise<WriteAttempt<T>>,
): Promise<T> {
  for (let attempts = 0; ; attempts += 1) {
    const { answer, prepareRetry, maxRetries = defaultRetries } = await attempt();
    if (prepareRetry === undefined || attempts >= maxRetries || signal.aborted) return answer;
    const final = await prepareRetry();
    if (final !== undefined) return final;
  }
}
