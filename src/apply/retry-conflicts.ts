/** One attempt at a write that others may get in the way of. */
export interface Attempt<T> {
  readonly answer: T;
  /** Set where it was refused only because of them. Prepares the next attempt, or answers where there is no point in one. */
  readonly again?: () => Promise<T | undefined>;
  /** How often at most, all attempts together; `usualRetries` where nothing is said. */
  readonly retries?: number;
}

const usualRetries = 10;

/** Attempts a write until it is answered for another reason than that others were writing at the same moment. */
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
