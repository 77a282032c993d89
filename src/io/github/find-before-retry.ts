import type { GitHubClient } from "./client.ts";

/**
 * Looks for the result of a request before the request is retried. GitHub can create something and
 * still answer with an internal error, or a proxy can lose the answer. Without the search, the
 * retry would create it a second time.
 */
export function findBeforeRetry({ hook }: { readonly hook: GitHubClient["hook"] }): void {
  hook.wrap("request", async (send, options) => {
    const { retryCount = 0, find } = (options.request ?? {}) as RetriedRequest;
    const data = retryCount > 0 ? await find?.() : undefined;
    return data === undefined
      ? send(options)
      : { status: 200, url: options.url, headers: {}, data };
  });
}

interface RetriedRequest extends Partial<Creation> {
  /** The number of failed attempts, which the retry plugin sets. */
  readonly retryCount?: number;
}

interface Creation {
  /** Returns the object that an earlier attempt created; undefined if there is none. */
  readonly find: () => Promise<object | undefined>;
}

/** Returns the options of a request that creates something, with the search for its result. */
export function createsOnce(find: Creation["find"]): { readonly request: Creation } {
  return { request: { find } };
}
