import { defaults } from "@actions/github/lib/utils";
import { backOff } from "exponential-backoff";
import * as v from "valibot";
import { UserError } from "../../model/problems/errors.ts";
import type { Problem } from "../../model/problems/problem.ts";
import { type SentSecrets, sentSecrets } from "../../redaction/sent-secrets.ts";
import type { Environment } from "../environment.ts";
import { boundedFetch } from "./bounded-fetch.ts";
import { mask } from "./log.ts";

export interface IdTokenRequests {
  /** The delay before the second attempt in milliseconds. Later delays are longer. */
  readonly firstDelay?: number;
  /** Collects the credentials of each request, and the token in its answer. */
  readonly sent?: SentSecrets;
}

const attempts = 4;
/** The limits of one answer. An ID token has a few kilobytes. */
const bounds = { bytes: 1 << 20, duration: 15_000 };
const answer = v.object({ value: v.pipe(v.string(), v.minLength(1)) });

/**
 * Returns a function that gets ID tokens of the job from GitHub. It masks each token in the log
 * before anything can print it. See
 * https://docs.github.com/en/actions/reference/security/oidc#methods-for-requesting-the-oidc-token
 */
export function createIdTokenIssuer(
  env: Environment,
  { firstDelay = 500, sent = sentSecrets() }: IdTokenRequests = {},
) {
  return async (audience: string): Promise<string> => {
    const { ACTIONS_ID_TOKEN_REQUEST_URL: url, ACTIONS_ID_TOKEN_REQUEST_TOKEN: bearer } = env;
    if (!url || !bearer || !URL.canParse(url)) throw notAllowed();
    sent.add(bearer);
    const address = new URL(url);
    address.searchParams.set("audience", audience);
    const token = await backOff(() => request(address, bearer), {
      numOfAttempts: attempts,
      startingDelay: firstDelay,
      retry: (error) => !(error instanceof UserError),
    }).catch((error: unknown) => {
      throw error instanceof UserError ? error : notReached(error);
    });
    mask(token);
    sent.add(token);
    return token;
  };
}

/**
 * Requests one token with the `fetch` of @actions/github, which knows the proxy of the runner.
 * Throws a plain error if a retry can help.
 */
async function request(address: URL, bearer: string): Promise<string> {
  const send = boundedFetch(defaults.request?.fetch ?? fetch, bounds);
  const headers = { Authorization: `Bearer ${bearer}`, Accept: "application/json" };
  const response = await send(address, { headers, redirect: "error" });
  if (response.status >= 500 || response.status === 429) throw new Error(`HTTP ${response.status}`);
  if (!response.ok) throw refused(response.status);
  const parsed = v.safeParse(answer, await response.json().catch(() => undefined));
  if (!parsed.success) throw refused(response.status);
  return parsed.output.value;
}

function notAllowed(): UserError {
  return notIssued({
    what: "GitHub issues no ID token to this job",
    why: "The input server needs an ID token to log in. Pull requests from forks never get one",
    fix: "Give the job `permissions: id-token: write`, and also the job that calls a reusable workflow",
  });
}

function refused(status: number): UserError {
  return notIssued({
    what: "GitHub issued no ID token",
    why: "The request token expires at the end of the job, and after six hours at the latest",
    facts: [{ label: "answer", value: `HTTP ${status}` }],
    fix: "Give the job `permissions: id-token: write`",
  });
}

function notReached(error: unknown): UserError {
  const message = error instanceof Error ? error.message : String(error);
  return notIssued({
    what: `GitHub issued no ID token in ${attempts} attempts`,
    facts: [{ label: "error", value: message }],
    fix: "Run the job again when githubstatus.com shows no problem with Actions",
  });
}

function notIssued(problem: Omit<Problem, "code" | "where">): UserError {
  return new UserError([{ code: "id-token-not-issued", where: [], ...problem }]);
}
