import { UserError } from "../../model/problems/errors.ts";
import type { Problem } from "../../model/problems/problem.ts";

/**
 * The reason why GitHub didn't fulfill a request, and the fix. Each is a part of a sentence,
 * without a period.
 */
export interface GitHubRefusal {
  readonly why: string;
  readonly fix: string;
}

/**
 * Returns the status of an answer; undefined for an error without an answer. A GraphQL error has
 * the status that REST would return.
 */
export function responseStatus(error: unknown): number | undefined {
  const refused = graphqlErrors(error)[0];
  if (refused !== undefined) return graphqlStatuses.get(refused.type ?? "") ?? statusOfUntyped;
  if (!(error instanceof Error) || !("status" in error)) return undefined;
  return typeof error.status === "number" ? error.status : undefined;
}

/**
 * Explains an answer of GitHub
 * (docs.github.com/rest/using-the-rest-api/troubleshooting-the-rest-api).
 * 403 and 404 have many meanings, and only the headers and GitHub's messages distinguish them.
 * `permissions` are the permissions that the job needs for the request.
 */
export function explainRefusal(error: unknown, permissions: string): GitHubRefusal {
  const problem = userProblem(error);
  if (problem !== undefined) return toRefusal(problem);
  if (isAbort(error)) return canceled;
  const answer = readAnswer(error);
  const { status } = answer;
  if (status === undefined) return unreachable;
  const [, special] = meanings.find(([is]) => is(answer)) ?? [];
  if (special !== undefined) return typeof special === "function" ? special(answer) : special;
  if (status === 401) return badToken;
  if (status === 403) return missingPermission(permissions);
  if (status === 404) return notFound(permissions);
  if (status === 422) return invalid;
  return status >= 500 ? unavailable : unknown;
}

function toRefusal({ what, why, fix, otherwise = [] }: Problem): GitHubRefusal {
  const fixes = [fix, ...otherwise.map((other) => `or ${other}`)];
  return { why: why === undefined ? what : `${what}. ${why}`, fix: fixes.join(", ") };
}

/** Reports whether qvs stopped waiting because a user canceled the run. */
export function isAbort(error: unknown): boolean {
  return error instanceof Error && error.name === "AbortError";
}

/**
 * Reports whether GitHub might have carried out the request although it failed: an internal error,
 * or no answer.
 */
export function mightBeDone(error: unknown): boolean {
  const status = responseStatus(error);
  return status === undefined || status >= 500;
}

/** Reports whether the token lacks a permission, as far as GitHub reveals that. */
export function isMissingPermission(error: unknown): boolean {
  const answer = readAnswer(error);
  return answer.status === 403 && !meanings.some(([is]) => is(answer));
}

/**
 * Reports whether GitHub slows the token down without the words "secondary rate limit". It answers
 * 429 although the token hasn't used up the requests of the hour. A header decides, because the
 * words vary. See
 * docs.github.com/rest/using-the-rest-api/rate-limits-for-the-rest-api#exceeding-the-rate-limit
 */
export function isSlowedDown(error: unknown): boolean {
  const { status, message, headers } = readAnswer(error);
  return (
    status === 429 && headers["x-ratelimit-remaining"] !== "0" && !/secondary rate/i.test(message)
  );
}

/**
 * Returns `GitHub answered 403: Resource not accessible by integration`, or the network's error.
 * Returns undefined if `explainRefusal` explains everything: for a UserError or an abort.
 */
export function answerText(error: unknown): string | undefined {
  if (userProblem(error) !== undefined || isAbort(error)) return undefined;
  const { status, message } = readAnswer(error);
  return status === undefined ? message : `GitHub answered ${status}: ${message}`;
}

/** Returns GitHub's own message of an error. */
export function errorMessage(error: unknown): string {
  const refused = graphqlErrors(error).map(({ message }) => message);
  if (refused.length > 0) return refused.join("; ");
  return error instanceof Error ? error.message : String(error);
}

interface GraphqlError {
  readonly type?: string;
  readonly message: string;
}

/**
 * Returns the errors of GraphQL, which answers 200 and reports errors in the body. The plugin that
 * waits for rate limits converts them to its own error, with the body.
 */
function graphqlErrors(error: unknown): readonly GraphqlError[] {
  if (!(error instanceof Error)) return [];
  if (error.name === "GraphqlResponseError" && "errors" in error)
    return error.errors as readonly GraphqlError[];
  if ("status" in error || !("data" in error)) return [];
  return (error.data as { readonly errors?: readonly GraphqlError[] } | undefined)?.errors ?? [];
}

const graphqlStatuses: ReadonlyMap<string, number> = new Map([
  ["FORBIDDEN", 403],
  ["INSUFFICIENT_SCOPES", 403],
  ["NOT_FOUND", 404],
  ["RATE_LIMITED", 429],
  ["SERVICE_UNAVAILABLE", 503],
]);
/**
 * The status of errors such as "Something went wrong while executing your query". It can't be an
 * invalid request, because the tests of qvs detect those.
 */
const statusOfUntyped = 502;

interface GitHubAnswer {
  readonly status: number | undefined;
  readonly message: string;
  readonly headers: Readonly<Record<string, unknown>>;
}

function readAnswer(error: unknown): GitHubAnswer {
  const message = errorMessage(error);
  const response = error instanceof Error && "response" in error ? error.response : undefined;
  const status = responseStatus(error);
  // Octokit also uses status 500 for a network failure, which has no answer.
  const hasAnswered = status !== 500 || response !== undefined;
  return {
    status: hasAnswered ? status : undefined,
    message,
    headers: answerHeaders(error, response),
  };
}

/** Returns the headers of an answer. A GraphQL error has them itself. */
function answerHeaders(error: unknown, response: unknown): GitHubAnswer["headers"] {
  const answers = [response, error].filter((each) => typeof each === "object" && each !== null);
  const found = answers.find((each) => "headers" in each && each.headers !== undefined);
  return (found as Pick<GitHubAnswer, "headers"> | undefined)?.headers ?? {};
}

function userProblem(error: unknown): Problem | undefined {
  return errorChain(error).find((cause) => cause instanceof UserError)?.problems[0];
}

/**
 * Returns the error and its cause. Octokit passes on an error from reading an answer as a cause.
 */
function errorChain(error: unknown): readonly unknown[] {
  return error instanceof Error ? [error, error.cause] : [];
}

const says =
  (words: RegExp) =>
  ({ message }: GitHubAnswer): boolean =>
    words.test(message);

/**
 * The first match counts. Otherwise, a rate limit or a locked conversation would look like a
 * missing permission.
 */
const meanings: readonly (readonly [
  is: (answer: GitHubAnswer) => boolean,
  GitHubRefusal | ((answer: GitHubAnswer) => GitHubRefusal),
])[] = [
  [
    says(/secondary rate limit|abuse detection/i),
    {
      why: "the token sent too many requests at once (a secondary rate limit)",
      fix: "Run the job again in a few minutes, and run fewer jobs with this token at the same time",
    },
  ],
  [isRateLimited, rateLimited],
  [
    says(/\blocked\b/i),
    {
      why: "the conversation is locked",
      fix: "Unlock the conversation of the pull request, or set `comment: never`",
    },
  ],
  [
    ({ headers, message }) => headers["x-github-sso"] !== undefined || /\bSAML\b/.test(message),
    {
      why: "the organization requires single sign-on, and the token isn't authorized for it",
      fix: "Authorize the token for the organization (Settings, Developer settings, Configure SSO), or remove the input token: the job's own token needs no single sign-on",
    },
  ],
  [
    says(/IP allow list|IP address/i),
    {
      why: "the organization's IP allow list doesn't contain the runner's address",
      fix: "Run the job on a runner whose address is on the organization's IP allow list",
    },
  ],
  [
    says(/archived/i),
    {
      why: "the repository is archived and read-only",
      fix: "Unarchive the repository, or disable the workflow",
    },
  ],
  [
    ({ status, message }) => status === 403 && /disabled|suspended|blocked/i.test(message),
    {
      why: "GitHub blocks the repository or the token's account from doing this",
      fix: "Ask an administrator of the repository or the organization for GitHub's reason",
    },
  ],
  [
    says(/issues (?:are|has been|have been) disabled|disabled issues/i),
    {
      why: "the repository has issues turned off",
      fix: "Turn on issues in the settings of the repository, or set `issue: false`",
    },
  ],
  [
    ({ status }) => status === 410,
    {
      why: "the requested item was deleted, or is turned off in the repository",
      fix: "Check that the pull request still exists",
    },
  ],
];

function isRateLimited({ status, message, headers }: GitHubAnswer): boolean {
  if (status === 429) return true;
  return (
    status === 403 && (headers["x-ratelimit-remaining"] === "0" || /rate limit/i.test(message))
  );
}

function rateLimited({ headers }: GitHubAnswer): GitHubRefusal {
  const seconds = Number(headers["x-ratelimit-reset"]);
  const isTime = Number.isInteger(seconds) && seconds > 0 && seconds < 1e11;
  const when = isTime
    ? `after ${new Date(seconds * 1000).toISOString().replace(/\.\d+Z$/, "Z")}`
    : "in an hour";
  return {
    why: "the token used up its requests for this hour (the primary rate limit)",
    fix: `Run the job again ${when}, or set the input token to an app's token, which has a higher limit`,
  };
}

const unreachable: GitHubRefusal = {
  why: "GitHub's API can't be reached",
  fix: "Run the job again, or check that the runner can reach the host in GITHUB_API_URL",
};

const canceled: GitHubRefusal = {
  why: "the run was canceled before GitHub answered",
  fix: "Run the job again",
};

const badToken: GitHubRefusal = {
  why: "the token is invalid, expired or revoked",
  fix: "Remove the input token to use the job's own token, or set it to a valid token",
};

function missingPermission(permissions: string): GitHubRefusal {
  return {
    why: "the token isn't allowed to do this",
    fix: `Give the job \`permissions: ${permissions}\`, or give the token in the input token the same permission`,
  };
}

/**
 * Returns the explanation of a 404. GitHub answers 404 instead of "forbidden" if even the existence
 * of an object is secret.
 */
function notFound(permissions: string): GitHubRefusal {
  return {
    why: "the requested item doesn't exist, or the token isn't allowed to read it",
    fix: `Check that it still exists, then give the job \`permissions: ${permissions}\`, or give the token in the input token access to the repository`,
  };
}

const invalid: GitHubRefusal = {
  why: "GitHub rejected the request as invalid",
  fix: "Run the job again, or report a bug in qvs with this message",
};

const unavailable: GitHubRefusal = {
  why: "GitHub has an internal error",
  fix: "Run the job again when githubstatus.com shows no problem",
};

const unknown: GitHubRefusal = { why: "GitHub gave no reason", fix: "Run the job again" };
