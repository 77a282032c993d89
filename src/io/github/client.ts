import { getOctokit } from "@actions/github";
import { defaults } from "@actions/github/lib/utils";
import { retry } from "@octokit/plugin-retry";
import { throttling } from "@octokit/plugin-throttling";
import { boundedFetch } from "./bounded-fetch.ts";

export type GitHubClient = ReturnType<typeof getOctokit>;

export interface GitHubConnection {
  readonly token: string;
  /** `GITHUB_API_URL`: also right on GitHub Enterprise Server. */
  readonly apiUrl: string;
  /** Told when GitHub makes us wait or fail; nothing secret is in it. */
  readonly warn: (message: string) => void;
  /** Nothing is waited for any more once it is aborted. */
  readonly signal?: AbortSignal | undefined;
}

export interface RepositoryName {
  readonly owner: string;
  readonly repo: string;
}

/** Waiting longer than this for a fresh quota would outlive most jobs; a clear failure is better. */
const longestWaitSeconds = 120;
const maxRetries = 2;

/** A client that repeats what failed by chance (5xx, resets) and keeps to GitHub's rate limits. */
export function createClient({ token, apiUrl, warn, signal }: GitHubConnection): GitHubClient {
  const mayRetry = (waitSeconds: number, options: RequestOptions, _: unknown, tried: number) => {
    const willRetry = tried < maxRetries && waitSeconds <= longestWaitSeconds;
    const whatNext = willRetry ? `trying again in ${waitSeconds} s` : "giving up";
    warn(`GitHub's rate limit is reached (${options.method} ${options.url}): ${whatNext}.`);
    return willRetry;
  };
  const throttle = { onRateLimit: mayRetry, onSecondaryRateLimit: mayRetry };
  // Beside its own fetch, which knows the proxy of the runner.
  const bounded = boundedFetch(defaults.request?.fetch ?? fetch);
  const request = { ...defaults.request, fetch: abortable(bounded, signal) };
  const options = { baseUrl: apiUrl, request, throttle, log: quiet(warn) };
  return getOctokit(token, options, retry, throttling);
}

function abortable(original: typeof fetch, signal: AbortSignal | undefined): typeof fetch {
  if (signal === undefined) return original;
  return (input, init = {}) => {
    const either = init.signal ? AbortSignal.any([init.signal, signal]) : signal;
    return original(input, { ...init, signal: either });
  };
}

interface RequestOptions {
  readonly method: string;
  readonly url: string;
}

/** Octokit's own chatter would mix with the log of the run; stdout belongs to results. */
function quiet(warn: (message: string) => void) {
  const silence = () => {};
  return { debug: silence, info: silence, warn, error: warn };
}
