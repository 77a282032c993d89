import { UserError, userError } from "../../model/problems/errors.ts";

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

/** The fix for answers that GitHub's API never sends. */
export const checkApiUrl = "Check that GITHUB_API_URL is the address of GitHub's API";

export interface FetchBounds {
  /**
   * The maximum size of one answer in bytes, unpacked. A page has at most 100 comments of 256 KiB.
   */
  readonly bytes: number;
  /** The maximum time of one answer in milliseconds, including its body. */
  readonly duration: number;
}

const defaultBounds: FetchBounds = { bytes: 64 << 20, duration: 120_000 };

/** Returns the same `fetch` with limits for the time and the size of an answer. */
export function boundedFetch(
  original: Fetch,
  { bytes, duration }: FetchBounds = defaultBounds,
): Fetch {
  return async (input, init = {}) => {
    const limit = AbortSignal.timeout(duration);
    const signal = init.signal ? AbortSignal.any([init.signal, limit]) : limit;
    const response = await original(input, { ...init, signal });
    if (response.body === null) return response;
    const body = await readWithin(response.body, bytes);
    const { status, statusText, headers, url } = response;
    return Object.defineProperty(new Response(body, { status, statusText, headers }), "url", {
      value: url,
    });
  };
}

async function readWithin(body: ReadableStream<Uint8Array>, limit: number): Promise<Blob> {
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > limit) {
      throw userError(
        "github-api-error",
        `GitHub's API answered with more than ${limit / 1024 ** 2} MiB`,
        checkApiUrl,
      );
    }
    chunks.push(new Uint8Array(chunk));
  }
  return new Blob(chunks);
}
