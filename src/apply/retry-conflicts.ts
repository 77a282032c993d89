/** One attempt at a write that another client can interfere with. */
export interface Attempt<T> {
  readonly answer: T;
  /**
   * Set only if another client's write caused the failure.
   * Prepares the next attempt, or returns the final answer if a retry is pointless.
   */
  readonly again?: () => Promise<T | undefined>;
  /** The maximum number of retries (default: `usualRetries`). */
  readonly retries?: number;
}

const usualRetries = 10;

/** Repeats a write as long as it fails only because another client wrote at the same time. */
export async function retryConflicts<T>(
  signal: AbortSignal,
  attempt: () => Promise<Attempt<T>>,
): Promise<T> {
  for (let attempts = 0; ; attempts += 1) {
    const { answer, again, retries = usualRetries } = await attempt();
    if (again === undefined || attempts >= retries || signal.aborted) return answer;
    const final = await again();
    if (final !== undefined) return final;
  }
}
