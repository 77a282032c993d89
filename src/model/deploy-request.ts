export interface Limits {
  /**
   * The maximum number of concurrent requests.
   * Waiting is not limited. It costs nothing, and the awaited object might need an object that is
   * written later.
   */
  readonly concurrency: number;
  /** The maximum time for one object to become ready or to be deleted. */
  readonly timeoutMs: number;
}

export const defaultLimits: Limits = { concurrency: 16, timeoutMs: 600_000 };
