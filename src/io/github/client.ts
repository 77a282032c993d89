import { getOctokit } from "@actions/github";
import { defaults } from "@actions/github/lib/utils";
import { retry } from "@octokit/plugin-retry";
import { throttling } from "@octokit/plugin-throttling";
import { unlessAborted } from "../../model/abort-signals.ts";
import { UserError, userError } from "../../model/problems/errors.ts";
import { type SentSecrets, sentSecrets } from "../../redaction/sent-secrets.ts";
import {
  boundedFetch,
  checkApiUrl,
  createSilenceBudget,
  explainSilence,
  type SilenceBudget,
} from "./bounded-fetch.ts";
import { isSlowedDown } from "./explain-refusal.ts";
import { findBeforeRetry } from "./find-before-retry.ts";

export type GitHubClient = ReturnType<typeof getOctokit>;

/** The part of a client that calls REST methods. */
export type RestClient = Pick<GitHubClient, "rest">;

export interface GitHubConnection {
  readonly token: string;
  /** The value of `GITHUB_API_URL`, which is also correct on GitHub Enterprise Server. */
  readonly apiUrl: string;
  /** Receives a message when GitHub fails or makes qvs wait. The message contains no secret. */
  readonly warn: (message: string) => void;
  /** Ends all waiting when it is aborted. */
  readonly signal?: AbortSignal | undefined;
  /** Collects the token, so that no text that qvs writes to GitHub contains a credential. */
  readonly sent?: SentSecrets | undefined;
  /** The budget that all clients of a run share. */
  readonly silence?: SilenceBudget | undefined;
}

export interface RepositoryName {
  readonly owner: string;
  readonly repo: string;
}

/**
 * The maximum wait for a new rate limit. A longer wait would outlive most jobs, and a clear failure
 * is better.
 */
const longestWaitSeconds = 120;
const maxRetries = 2;

/**
 * Creates a client that retries random failures (5xx, resets) and respects GitHub's rate limits. A
 * request that creates something names a search for it (`createsOnce`).
 */
export function createClient({
  token,
  apiUrl,
  warn,
  signal,
  sent = sentSecrets(),
  silence = createSilenceBudget(),
}: GitHubConnection): GitHubClient {
  sent.add(token);
  const mayRetry = (waitSeconds: number, options: RequestOptions, _: unknown, tried: number) => {
    const willRetry = tried < maxRetries && waitSeconds <= longestWaitSeconds;
    const whatNext = willRetry ? `tries again in ${waitSeconds} s` : "gives up";
    const sentOptions = `${options.method} ${options.url}`;
    warn(`GitHub's rate limit is reached for ${sentOptions}. qvs ${whatNext}.`);
    return willRetry;
  };
  const throttle = { onRateLimit: mayRetry, onSecondaryRateLimit: mayRetry };
  const end = signal === undefined ? silence.signal : AbortSignal.any([signal, silence.signal]);
  // The `fetch` of @actions/github knows the proxy of the runner.
  const bounded = boundedFetch(followRedirects(defaults.request?.fetch ?? fetch));
  const request = { ...defaults.request, fetch: silence.limit(abortable(bounded, end)) };
  const options = { baseUrl: apiUrl, request, throttle, retry: { doNotRetry }, log: quiet(warn) };
  // A later plugin wraps the earlier ones, so each retry first searches.
  const plugins = [findBeforeRetry, retry, markSecondaryRateLimit, throttling];
  const client = getOctokit(token, options, ...plugins);
  client.hook.wrap("request", (send, sentOptions) =>
    send({ ...sentOptions, ...hideCredentials(sentOptions, sent) }),
  );
  client.hook.after("request", rejectWebPage);
  client.hook.error("request", (error) => {
    throw hideInError(error, sent);
  });
  // Wraps the plugin that waits for rate limits.
  client.hook.wrap("request", async (send, sentOptions) => {
    try {
      return await unlessAborted(async () => send(sentOptions), end);
    } catch (error) {
      throw explainSilence(error, silence);
    }
  });
  return client;
}

/** The options that determine how and where a request is sent. They aren't written content. */
const transportOptions: ReadonlySet<string> = new Set([
  ...["baseUrl", "headers", "mediaType", "method", "request", "url"],
]);

function hideCredentials(parameters: object, sent: SentSecrets): object {
  const written = Object.entries(parameters).filter(([name]) => !transportOptions.has(name));
  return sent.hide(Object.fromEntries(written));
}

/** Removes credentials from the message. GitHub or a proxy can repeat the request in an answer. */
function hideInError<T>(error: T, sent: SentSecrets): T {
  if (error instanceof Error) error.message = sent.hide(error.message);
  return error;
}

/**
 * The statuses that the retry plugin excludes by default, and 429. The plugin would retry a 429
 * within seconds. It ignores `Retry-After`, and an earlier decision to give up.
 */
const doNotRetry = [400, 401, 403, 404, 410, 422, 429, 451];

/**
 * Adds the words by which the throttling plugin recognizes a secondary rate limit. A 429 can lack
 * these words.
 */
function markSecondaryRateLimit({ hook }: { readonly hook: GitHubClient["hook"] }): void {
  hook.error("request", (error) => {
    if (isSlowedDown(error)) error.message += " (secondary rate limit)";
    throw error;
  });
}

/**
 * Rejects a web page. A proxy between qvs and GitHub can answer instead, for example with a login
 * page.
 */
function rejectWebPage({ headers }: { readonly headers: Readonly<Record<string, unknown>> }): void {
  if (!String(headers["content-type"]).startsWith("text/html")) return;
  throw new UserError([
    {
      code: "github-api-error",
      where: [],
      what: "GITHUB_API_URL answered with a web page instead of JSON",
      fix: checkApiUrl,
      otherwise: ["check whether a proxy between the runner and GitHub answers instead of the API"],
    },
  ]);
}

const redirects: ReadonlySet<number> = new Set([301, 302, 307, 308]);
const maxRedirects = 5;

/**
 * Returns the same `fetch`, but its writes follow redirects. A renamed repository answers at its
 * new address.
 * `fetch` itself changes a `POST` to a `GET` at 301 and 302, which would lose a comment without an
 * error. GitHub requires the same request again
 * (docs.github.com/rest/using-the-rest-api/best-practices-for-using-the-rest-api#follow-redirects).
 * qvs writes nothing to another host.
 */
function followRedirects(original: typeof fetch): typeof fetch {
  return async (input, init = {}) => {
    if (init.method === undefined || init.method === "GET") return original(input, init);
    let url = input instanceof Request ? input.url : String(input);
    for (let followed = 0; followed <= maxRedirects; followed += 1) {
      const response = await original(url, { ...init, redirect: "manual" });
      const location = response.headers.get("location");
      if (!redirects.has(response.status) || location === null) return response;
      await response.body?.cancel();
      const next = new URL(location, url);
      if (next.origin !== new URL(url).origin) throw redirectError("to another host");
      url = next.href;
    }
    throw redirectError(`more than ${maxRedirects} times`);
  };
}

function redirectError(where: string) {
  return userError("github-api-error", `GitHub's API redirects ${where}`, checkApiUrl);
}

function abortable(original: typeof fetch, signal: AbortSignal): typeof fetch {
  return (input, init = {}) => {
    const either = init.signal ? AbortSignal.any([init.signal, signal]) : signal;
    return original(input, { ...init, signal: either });
  };
}

interface RequestOptions {
  readonly method: string;
  readonly url: string;
}

/**
 * Returns a log without Octokit's debug and info messages. They would mix with the log of the run,
 * and stdout is for results.
 */
function quiet(warn: (message: string) => void) {
  const silence = () => {};
  return { debug: silence, info: silence, warn, error: warn };
}
