import type { Readable } from "node:stream";
import type { ApiResult } from "../../../model/cluster/api-failure.ts";
import { deepestNesting, exceedsMaxNesting, type Json } from "../../../model/json.ts";
import { UserError } from "../../../model/problems/errors.ts";
import {
  addRequestSecrets,
  type SentSecrets,
  sentSecrets,
} from "../../../redaction/sent-secrets.ts";
import { type AnswerBounds, BoundsExceeded } from "./bounds.ts";
import type { Connection, Credentials } from "./connection.ts";
import { exchange, type HttpResponse, type Method, openSockets, readAll } from "./exchange.ts";
import { type FailedAnswer, failure, refusal } from "./failure.ts";
import type { Pace } from "./pace.ts";
import { type AttemptOutcome, mayHaveChanged, retry } from "./retry.ts";
import { unreachable } from "./unreachable.ts";
import { parseWarnings } from "./warnings.ts";

/** One request in the terms of the Kubernetes API. */
export interface Call {
  readonly method: Method;
  /** Percent-encoded, without the query. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string | undefined>>;
  /** Sent without any change. */
  readonly body?: Json;
  readonly contentType?: string;
  readonly accept?: string;
  /** The maximum size of the answer, if it is lower than for other requests. */
  readonly bound?: number;
  /** True if carrying out the request twice has the same effect as once. */
  readonly repeatable: boolean;
  /**
   * Called before every attempt. Returns the reason why the request must not be sent, or sent
   * again.
   */
  readonly forbidden?: () => string | undefined;
}

/** The media type for a call whose answer isn't JSON. */
export const anything = "*/*";

/**
 * The last answer. `outcomeUnknown` is true if an earlier attempt might have been carried out
 * although its answer was lost.
 */
interface SentResult {
  readonly answer: ApiResult<string>;
  readonly outcomeUnknown: boolean;
}

/**
 * Requests to one API server: authenticated, bounded, and retried if that is safe. The transport
 * knows nothing about objects.
 */
export interface Transport {
  readonly server: string;
  readonly pace: Pace;
  readonly bounds: AnswerBounds;
  /** Reports whether qvs ever attempted a write. Dry runs aren't writes. */
  hasWritten(): boolean;
  /**
   * Reports whether a write other than to a lock might have been carried out. Rejected writes
   * change nothing.
   */
  hasChanged(): boolean;
  /** Aborts with `close`. */
  readonly closed: AbortSignal;
  send(call: Call): Promise<SentResult>;
  /**
   * Returns the body of an answer while the server still writes it. It makes only one attempt,
   * because a watch resumes in its own way.
   */
  stream(call: Call, signal: AbortSignal): Promise<ApiResult<Readable>>;
  close(): void;
}

/** The maximum number of concurrent requests. Watches don't count, because they last. */
const concurrency = 16;

export function openTransport(
  { sent = sentSecrets(), ...given }: Connection,
  pace: Pace,
  bounds: AnswerBounds,
): Transport {
  const connection = { ...given, sent };
  const requests = openSockets(connection, pace.connectTimeout, concurrency);
  const watches = openSockets(connection, pace.connectTimeout, Number.POSITIVE_INFINITY);
  const closing = new AbortController();
  let contacted = false;
  let hasWritten = false;
  let hasChanged = false;

  const attempt = async (call: Call): Promise<AttemptOutcome> => {
    const why = call.forbidden?.();
    if (why !== undefined) return { type: "unanswered", error: new NotSent(why) };
    hasWritten ||= isWrite(call);
    const outcome = await exchangeOnce(call);
    hasChanged ||= isWrite(call) && !leases.test(call.path) && mayHaveChanged(outcome);
    return outcome;
  };

  const exchangeOnce = async (call: Call): Promise<AttemptOutcome> => {
    const timeout = AbortSignal.timeout(pace.answerTimeout);
    const signal = AbortSignal.any([timeout, closing.signal]);
    try {
      const exchanged = (credentials: Credentials) =>
        exchange(requests, credentials, toHttpRequest(call, "gzip"), signal);
      const response = await sendAuthenticated(connection, exchanged);
      contacted = true;
      const text = await readAnswerText(call, response, bounds);
      return { type: "answered", status: response.status, headers: response.headers, text };
    } catch (error) {
      // qvs aborts a body that doesn't end in time. The error looks as if the server had cut the
      // connection.
      const late = timeout.aborted ? tookTooLong() : error;
      return { type: "unanswered", error: closing.signal.reason ?? late };
    }
  };

  return {
    server: connection.server,
    pace,
    bounds,
    hasWritten: () => hasWritten,
    hasChanged: () => hasChanged,
    closed: closing.signal,
    send: async (call) => {
      const attempts = contacted ? pace.attempts : pace.firstContactAttempts;
      const last = await retry(() => attempt(call), call.repeatable, { ...pace, attempts });
      return { answer: toAnswer(last.outcome, connection), outcomeUnknown: last.outcomeUnknown };
    },
    stream: async (call, signal) => {
      const head = new AbortController();
      const timer = setTimeout(() => head.abort(), pace.answerTimeout);
      const either = AbortSignal.any([signal, head.signal]);
      try {
        const exchanged = (credentials: Credentials) =>
          exchange(watches, credentials, toHttpRequest(call, "identity"), either);
        const response = await sendAuthenticated(connection, exchanged);
        if (response.status === 200) return { ok: true, value: response.body };
        return refused(response.status, await readAnswerText(call, response, bounds), connection);
      } catch (error) {
        return unanswered(error, connection);
      } finally {
        clearTimeout(timer);
      }
    },
    close: () => {
      closing.abort(new Error("qvs closed the connection"));
      requests.agent.destroy();
      watches.agent.destroy();
    },
  };
}

/**
 * Reports whether a call can change something. An access review is created, but the API server only
 * answers it.
 */
export function isWrite({ method, path, query }: Pick<Call, "method" | "path" | "query">): boolean {
  return method !== "GET" && query?.dryRun === undefined && !reviews.test(path);
}

const leases = /^\/apis\/coordination\.k8s\.io\//;
const reviews = /^\/apis\/authorization\.k8s\.io\//;

function tookTooLong(): Error {
  return Object.assign(new Error("the answer took too long"), { code: "ABORT_ERR" });
}

/** Returns the whole answer. Throws if it exceeds the bounds. */
async function readAnswerText(
  call: Call,
  { status, body }: HttpResponse,
  bounds: AnswerBounds,
): Promise<string> {
  const limit = Math.min(
    call.bound ?? bounds.answer,
    status < 300 ? bounds.answer : bounds.refusal,
  );
  const text = await readAll(body, limit).catch((error: unknown) => {
    if (!(error instanceof BoundsExceeded)) throw error;
    throw new BoundsExceeded(
      `the API server answered ${call.method} ${call.path} with ${error.message}`,
    );
  });
  if (call.accept === anything || !exceedsMaxNesting(text)) return text;
  const what = `the answer to ${call.method} ${call.path} nests deeper than`;
  throw new BoundsExceeded(`${what} ${deepestNesting} levels`);
}

type HidingConnection = Connection & { readonly sent: SentSecrets };

/**
 * Sends a request with the current credential. After a first 401 it renews the credential, which
 * can expire at any moment.
 */
async function sendAuthenticated(
  connection: HidingConnection,
  exchanged: (credentials: Credentials) => Promise<HttpResponse>,
): Promise<HttpResponse> {
  const credentials = await connection.credentials();
  addRequestSecrets(connection.sent, credentials);
  const response = await exchanged(credentials);
  if (response.status !== 401) return response;
  // The rest of the body might never end.
  response.body.destroy();
  const renewed = await connection.renewedCredentials(credentials);
  addRequestSecrets(connection.sent, renewed);
  return exchanged(renewed);
}

function toHttpRequest(call: Call, encoding: "gzip" | "identity") {
  const query = Object.entries(call.query ?? {}).filter(
    (entry): entry is [string, string] => entry[1] !== undefined,
  );
  const body = call.body === undefined ? undefined : JSON.stringify(call.body);
  return {
    method: call.method,
    path: query.length === 0 ? call.path : `${call.path}?${new URLSearchParams(query)}`,
    headers: {
      Accept: call.accept ?? "application/json",
      "Accept-Encoding": encoding,
      ...(body === undefined
        ? {}
        : {
            "Content-Type": call.contentType ?? "application/json",
            "Content-Length": String(Buffer.byteLength(body)),
          }),
    },
    body,
  };
}

/** A request that qvs didn't send, although the cluster works. */
class NotSent extends Error {}

function toAnswer(outcome: AttemptOutcome, connection: HidingConnection): ApiResult<string> {
  if (outcome.type === "unanswered") return unanswered(outcome.error, connection);
  const { status, headers, text } = outcome;
  const isOk = status >= 200 && status < 300;
  const answer = isOk ? ({ ok: true, value: text } as const) : refused(status, text, connection);
  const { sent } = connection;
  const warnings = sent.hide(parseWarnings({ ...headers, warning: sent.hide(headers.warning) }));
  return warnings.length === 0 ? answer : { ...answer, warnings };
}

/**
 * Returns the failure of a rejected request. After a 401 it names the identity, because the API
 * server doesn't explain why it rejects it.
 */
function refused(status: number, text: string, { identity, sent }: HidingConnection): FailedAnswer {
  // Secrets are hidden before `refusal` shortens the text, and again after it decodes the JSON.
  const answer = sent.hide(refusal(status, sent.hide(text)));
  const who = status === 401 ? identity?.() : undefined;
  if (who === undefined) return answer;
  const message = `${answer.failure.message}. The API server doesn't accept the ID token with ${who}`;
  return { ok: false, failure: { ...answer.failure, message, fix: compareWithIssuers } };
}

const compareWithIssuers =
  "Compare these values with the input oidc-audience, and with `issuer.url`, `issuer.audiences` and the rules in the API server's AuthenticationConfiguration. The API server's log shows which value doesn't match";

/**
 * Returns the failure of a request without an answer. A missing credential counts as unauthorized,
 * because the user must fix it like a rejected one.
 */
function unanswered(error: unknown, connection: HidingConnection): FailedAnswer {
  return connection.sent.hide(explainUnanswered(error, connection));
}

/** Returns the failure of a credential that qvs can't get, with the fix of its problem. */
function missingCredentialFailure({ problems: [problem], message }: UserError): FailedAnswer {
  if (problem === undefined) return failure("unauthorized", message);
  const { what, why = "", facts = [], fix, otherwise = [] } = problem;
  const reasons = [what, why, ...facts.map(({ label, value }) => `${label}: ${value}`)];
  const failed = failure("unauthorized", reasons.filter((text) => text !== "").join(". "));
  const fixes = [fix, ...otherwise.map((other) => `or ${other}`)];
  return { ...failed, failure: { ...failed.failure, fix: fixes.join(", ") } };
}

function explainUnanswered(error: unknown, { server }: Connection): FailedAnswer {
  if (error instanceof UserError) return missingCredentialFailure(error);
  if (error instanceof NotSent) return failure("other", error.message);
  if (error instanceof BoundsExceeded) return failure("beyond-bounds", error.message);
  return unreachable(server, error);
}
