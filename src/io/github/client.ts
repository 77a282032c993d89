import { getOctokit } from "@actions/github";
import { defaults } from "@actions/github/lib/utils";
import { retry } from "@octokit/plugin-retry";
import { throttling } from "@octokit/plugin-throttling";
import { userError } from "../../model/problems/errors.ts";
import { unlessAborted } from "../../model/unless-aborted.ts";
import { type SentSecrets, sentSecrets } from "../../redaction/sent-secrets.ts";
import { boundedFetch } from "./bounded-fetch.ts";
import { isSlowedDown } from "./refusal.ts";
import { budgetForSilence, explainSilence, type SilenceBudget } from "./silence.ts";

export type GitHubClient = ReturnType<typeof getOctokit>;

export interface GitHubConnection {
  readonly token: string;
  /** `GITHUB_API_URL`: also right on GitHub Enterprise Server. */
  readonly apiUrl: string;
  /** Told when GitHub makes us wait or fail; nothing secret is in it. */
  readonly warn: (message: string) => void;
  /** Nothing is waited for any more once it is aborted. */
  readonly signal?: AbortSignal | undefined;
  /** Collects the token. Nothing that is written to GitHub contains a credential. */
  readonly sent?: SentSecrets | undefined;
  /** Shared by all clients of a run. */
  readonly silence?: SilenceBudget | undefined;
}

export interface RepositoryName {
  readonly owner: string;
  readonly repo: string;
}

/** Waiting longer than this for a fresh quota would outlive most jobs; a clear failure is better. */
const longestWaitSeconds = 120;
const maxRetries = 2;

/** A client that repeats what failed by chance (5xx, resets) and keeps to GitHub's rate limits. */
export function createClient({
  token,
  apiUrl,
  warn,
  signal,
  sent = sentSecrets(),
  silence = budgetForSilence(),
}: GitHubConnection): GitHubClient {
  sent.add(token);
  const mayRetry = (waitSeconds: number, options: RequestOptions, _: unknown, tried: number) => {
    const willRetry = tried < maxRetries && waitSeconds <= longestWaitSeconds;
    const whatNext = willRetry ? `trying again in ${waitSeconds} s` : "giving up";
    warn(`GitHub's rate limit is reached (${options.method} ${options.url}): ${whatNext}.`);
    return willRetry;
  };
  const throttle = { onRateLimit: mayRetry, onSecondaryRateLimit: mayRetry };
  const end = signal === undefined ? silence.signal : AbortSignal.any([signal, silence.signal]);
  // Beside its own fetch, which knows the proxy of the runner.
  const bounded = boundedFetch(followRedirects(defaults.request?.fetch ?? fetch));
  const request = { ...defaults.request, fetch: silence.limit(abortable(bounded, end)) };
  const options = { baseUrl: apiUrl, request, throttle, retry: { doNotRetry }, log: quiet(warn) };
  const client = getOctokit(token, options, retry, sayWhySlowedDown, throttling);
  client.hook.wrap("request", (send, asked) => send({ ...asked, ...hiddenIn(asked, sent) }));
  client.hook.after("request", refuseWebPage);
  client.hook.error("request", (error) => {
    throw withoutSecrets(error, sent);
  });
  // Around what waits for rate limits.
  client.hook.wrap("request", async (send, asked) => {
    try {
      return await unlessAborted(async () => send(asked), end);
    } catch (error) {
      throw explainSilence(error, silence);
    }
  });
  return client;
}

/** Not a parameter of what is written, but how and where. */
const transportOptions: ReadonlySet<string> = new Set([
  ...["baseUrl", "headers", "mediaType", "method", "request", "url"],
]);

function hiddenIn(asked: object, sent: SentSecrets): object {
  const written = Object.entries(asked).filter(([name]) => !transportOptions.has(name));
  return sent.hide(Object.fromEntries(written));
}

/** GitHub, and what stands between, can repeat the request in an answer. */
function withoutSecrets<T>(error: T, sent: SentSecrets): T {
  if (error instanceof Error) error.message = sent.hide(error.message);
  return error;
}

/** Those of the plugin, and 429: it would ask again in seconds whatever `Retry-After` says, and after we have given up. */
const doNotRetry = [400, 401, 403, 404, 410, 422, 429, 451];

/** The plugin that waits knows a secondary rate limit by these words alone, which a 429 may come without. */
function sayWhySlowedDown({ hook }: { readonly hook: GitHubClient["hook"] }): void {
  hook.error("request", (error) => {
    if (isSlowedDown(error)) error.message += " (secondary rate limit)";
    throw error;
  });
}

/** What stands between us and GitHub may answer for it, such as a proxy that wants somebody to log in. */
function refuseWebPage({ headers }: { readonly headers: Readonly<Record<string, unknown>> }): void {
  if (!String(headers["content-type"]).startsWith("text/html")) return;
  throw userError(
    "github-api-error",
    "a web page was answered in place of GitHub's API",
    "Look whether GITHUB_API_URL is the address of the API, and whether a proxy between the runner and GitHub answers for it",
  );
}

const redirects: ReadonlySet<number> = new Set([301, 302, 307, 308]);
const mostRedirects = 5;

/**
 * The same `fetch`, whose writes arrive where a redirect leads: a repository that was renamed answers under its new address. `fetch` itself
 * makes a `GET` of a `POST` at 301 and 302, so that a comment would be lost without an error, while GitHub asks for the same request again
 * (docs.github.com/rest/using-the-rest-api/best-practices-for-using-the-rest-api#follow-redirects). To another host nothing is written.
 */
function followRedirects(original: typeof fetch): typeof fetch {
  return async (input, init = {}) => {
    if (init.method === undefined || init.method === "GET") return original(input, init);
    let url = input instanceof Request ? input.url : String(input);
    for (let followed = 0; followed <= mostRedirects; followed += 1) {
      const response = await original(url, { ...init, redirect: "manual" });
      const location = response.headers.get("location");
      if (!redirects.has(response.status) || location === null) return response;
      await response.body?.cancel();
      const next = new URL(location, url);
      if (next.origin !== new URL(url).origin) throw leadsElsewhere("to another host");
      url = next.href;
    }
    throw leadsElsewhere("again and again");
  };
}

function leadsElsewhere(where: string) {
  return userError(
    "github-api-error",
    `GitHub's API redirects ${where}`,
    "Check what GITHUB_API_URL leads to",
  );
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

/** Octokit's own chatter would mix with the log of the run; stdout belongs to results. */
function quiet(warn: (message: string) => void) {
  const silence = () => {};
  return { debug: silence, info: silence, warn, error: warn };
}
