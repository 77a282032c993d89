import { UserError } from "../../model/problems/errors.ts";
import type { Problem } from "../../model/problems/problem.ts";

/**
 * The reason why GitHub didn't fulfill a request, and the fix. Each is a part of a sentence,
 * without a period.
 */
export interface Refusal {
  readonly why: string;
  readonly fix: string;
}

/**
 * Returns the status of an answer; undefined for an error without an answer. A GraphQL error has
 * the status that REST would return.
 */
export function statusOf(error: unknown): number | undefined {
  const refused = graphqlErrors(error)[0];
  if (refused !== undefined) return statusesOfGraphql.get(refused.type ?? "") ?? statusOfUntyped;
  if (!(error instanceof Error) || !("status" in error)) return undefined;
  return typeof error.status === "number" ? error.status : undefined;
}

/**
 * Explains an answer of GitHub
 * (docs.github.com/rest/using-the-rest-api/troubleshooting-the-rest-api).
 * 403 and 404 have many meanings, and only the headers and GitHub's messages distinguish them.
 * `permissions` are the permissions that the job needs for the request.
 */
export function explainRefusal(error: unknown, permissions: string): Refusal {
  const problem = problemOf(error);
  if (problem !== undefined) return { why: problem.what, fix: problem.fix };
  if (isAbort(error)) return cancelled;
  const answer = readAnswer(error);
  const { status } = answer;
  if (status === undefined) return unreachable;
  const [, special] = meanings.find(([is]) => is(answer)) ?? [];
  if (special !== undefined) return typeof special === "function" ? special(answer) : special;
  if (status === 401) return badToken;
  if (status === 403) return missingPermission(permissions);
  if (status === 404) return notThere(permissions);
  if (status === 422) return invalid;
  return status >= 500 ? unavailable : unknown;
}

/** Reports whether qvs stopped waiting because a user canceled the run. */
export function isAbort(error: unknown): boolean {
  return error instanceof Error && error.name === "AbortError";
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
export function answerOf(error: unknown): string | undefined {
  if (problemOf(error) !== undefined || isAbort(error)) return undefined;
  const { status, message } = readAnswer(error);
  return status === undefined ? message : `GitHub answered ${status}: ${message}`;
}

/** Returns GitHub's own message of an error. */
export function messageOf(error: unknown): string {
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

const statusesOfGraphql: ReadonlyMap<string, number> = new Map([
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

interface Answer {
  readonly status: number | undefined;
  readonly message: string;
  readonly headers: Readonly<Record<string, unknown>>;
}

function readAnswer(error: unknown): Answer {
  const message = messageOf(error);
  const response = error instanceof Error && "response" in error ? error.response : undefined;
  const status = statusOf(error);
  // Octokit also uses status 500 for a network failure, which has no answer.
  const hasAnswered = status !== 500 || response !== undefined;
  return { status: hasAnswered ? status : undefined, message, headers: headersOf(error, response) };
}

/** Returns the headers of an answer. A GraphQL error has them itself. */
function headersOf(error: unknown, response: unknown): Answer["headers"] {
  const answers = [response, error].filter((each) => typeof each === "object" && each !== null);
  const found = answers.find((each) => "headers" in each && each.headers !== undefined);
  return (found as Pick<Answer, "headers"> | undefined)?.headers ?? {};
}

function problemOf(error: unknown): Problem | undefined {
  return causesOf(error).find((cause) => cause instanceof UserError)?.problems[0];
}

/**
 * Returns the error and its cause. Octokit passes on an error from reading an answer as a cause.
 */
function causesOf(error: unknown): readonly unknown[] {
  return error instanceof Error ? [error, error.cause] : [];
}

const says =
  (words: RegExp) =>
  ({ message }: Answer): boolean =>
    words.test(message);

/**
 * The first match counts. Otherwise, a rate limit or a locked conversation would look like a
 * missing permission.
 */
const meanings: readonly (readonly [
  is: (answer: Answer) => boolean,
  Refusal | ((answer: Answer) => Refusal),
])[] = [
  [
    says(/secondary rate limit|abuse detection/i),
    {
      why: "GitHub slows this token down, since it has sent too many requests at once (a secondary rate limit)",
      fix: "Run the job again in some minutes, and let fewer jobs that use the token run at the same time",
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
      why: "the organization wants single sign-on, and the token is not authorized for it",
      fix: "Authorize the token for the organization (Settings, Developer settings, Configure SSO), or leave the input token out: the job's own needs no sign-on",
    },
  ],
  [
    says(/IP allow list|IP address/i),
    {
      why: "the organization allows certain IP addresses only, and the runner has another one",
      fix: "Run the job on a runner whose address is on the organization's IP allow list",
    },
  ],
  [
    says(/archived/i),
    {
      why: "the repository is archived, so nobody can write to it",
      fix: "Unarchive the repository, or disable the workflow",
    },
  ],
  [
    ({ status, message }) => status === 403 && /disabled|suspended|blocked/i.test(message),
    {
      why: "GitHub keeps the repository or the account of the token from doing this",
      fix: "Ask those who administer the repository or the organization what GitHub has told them",
    },
  ],
  [
    says(/issues (?:are|has been|have been) disabled|disabled issues/i),
    {
      why: "issues are turned off in the repository",
      fix: "Turn them on in the settings of the repository, or set `issue: false`",
    },
  ],
  [
    ({ status }) => status === 410,
    {
      why: "this has been deleted, or is turned off in the repository",
      fix: "Look whether the pull request is still there",
    },
  ],
];

function isRateLimited({ status, message, headers }: Answer): boolean {
  if (status === 429) return true;
  return (
    status === 403 && (headers["x-ratelimit-remaining"] === "0" || /rate limit/i.test(message))
  );
}

function rateLimited({ headers }: Answer): Refusal {
  const seconds = Number(headers["x-ratelimit-reset"]);
  const isTime = Number.isInteger(seconds) && seconds > 0 && seconds < 1e11;
  const when = isTime
    ? `after ${new Date(seconds * 1000).toISOString().replace(/\.\d+Z$/, "Z")}`
    : "in an hour";
  return {
    why: "the token has used up its requests of this hour (the primary rate limit)",
    fix: `Run the job again ${when}, or give the input token one of an app, which may send more`,
  };
}

const unreachable: Refusal = {
  why: "GitHub's API could not be reached",
  fix: "Run the job again; if that does not help, look whether the runner reaches the host of GITHUB_API_URL",
};

const cancelled: Refusal = {
  why: "the run was cancelled before GitHub answered",
  fix: "Run the job again",
};

const badToken: Refusal = {
  why: "the token is not valid, or no longer",
  fix: "Leave the input token out to use the job's own, or give one that has not expired or been revoked",
};

function missingPermission(permissions: string): Refusal {
  return {
    why: "the token may not do this",
    fix: `Give the job \`permissions: ${permissions}\`; a token of the input token needs the same right`,
  };
}

/**
 * Returns the explanation of a 404. GitHub answers 404 instead of "forbidden" if even the existence
 * of an object is secret.
 */
function notThere(permissions: string): Refusal {
  return {
    why: "the repository, or this in it, was deleted, or the token may not see it",
    fix: `If it is still there, give the job \`permissions: ${permissions}\`, and a token of the input token access to the repository`,
  };
}

const invalid: Refusal = {
  why: "GitHub finds the request wrong",
  fix: "Run the job again; if that does not help, report it as a bug of qvs with this message",
};

const unavailable: Refusal = {
  why: "GitHub has trouble itself",
  fix: "Run the job again when githubstatus.com shows none",
};

const unknown: Refusal = { why: "GitHub does not say why", fix: "Run the job again" };
