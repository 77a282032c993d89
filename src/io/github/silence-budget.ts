import { UserError } from "../../model/problems/errors.ts";

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
export function createSilenceBudget(milliseconds = oneMinute): SilenceBudget {
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
  return new UserError([
    {
      code: "github-api-error",
      where: [],
      what: "GitHub's API didn't answer in time",
      fix: "Run the job again when githubstatus.com shows no problem",
      otherwise: ["check that the runner can reach the host in GITHUB_API_URL"],
    },
  ]);
}
