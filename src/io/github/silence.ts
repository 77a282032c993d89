import { userError } from "../../model/problems/errors.ts";

type Fetch = typeof fetch;

/** A limit for the time that a run waits for GitHub without an answer, over all its requests. */
export interface SilenceBudget {
  /**
   * Aborted when the budget is spent. The reason is an AbortError, which Octokit does not retry.
   */
  readonly signal: AbortSignal;
  /** Returns the same `fetch`; attempts without a complete answer use the budget. */
  readonly limit: (original: Fetch) => Fetch;
}

const oneMinute = 60_000;

/**
 * Creates a budget. It counts only attempts, so that a wait for a rate limit, which GitHub
 * requests, costs nothing.
 */
export function budgetForSilence(milliseconds = oneMinute): SilenceBudget {
  const spent = new AbortController();
  let left = milliseconds;
  const limit = (original: Fetch): Fetch => {
    return async (input, init) => {
      const began = performance.now();
      const timer = setTimeout(() => spent.abort(), left);
      try {
        return await original(input, init);
      } catch (error) {
        left -= performance.now() - began;
        if (left <= 0) spent.abort();
        throw error;
      } finally {
        clearTimeout(timer);
      }
    };
  };
  return { signal: spent.signal, limit };
}

/** Explains a spent budget. Returns any other error as it is. */
export function explainSilence(error: unknown, { signal }: SilenceBudget): unknown {
  if (!signal.aborted || error !== signal.reason) return error;
  return userError(
    "github-api-error",
    "GitHub's API has not answered in time",
    "Run the job again when githubstatus.com shows no trouble; if that does not help, check that the runner reaches the host of GITHUB_API_URL",
  );
}
