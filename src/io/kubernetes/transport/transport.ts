import type { Readable } from "node:stream";
import type { Answer } from "../../../model/cluster/api-failure.ts";
import type { Json } from "../../../model/json.ts";
import { deepestNesting, nestsTooDeep } from "../../../model/json.ts";
import { UserError } from "../../../model/problems/errors.ts";
import { addSent, type SentSecrets, sentSecrets } from "../../../redaction/sent-secrets.ts";
import { BeyondBounds, type Bounds } from "./bounds.ts";
import type { Connection, Credentials } from "./connection.ts";
import { exchange, type HttpResponse, type Method, openLine, readAll } from "./exchange.ts";
import { type FailedAnswer, failure, refusal } from "./failure.ts";
import type { Pace } from "./pace.ts";
import { mayHaveChanged, type Outcome, retry } from "./retry.ts";
import { unreachable } from "./unreachable.ts";
import { warningsIn } from "./warnings.ts";

/** One request in the terms of the Kubernetes API. */
export interface Call {
  readonly method: Method;
  /** Percent-encoded, without query. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string | undefined>>;
  /** Sent exactly as it is. */
  readonly body?: Json;
  readonly contentType?: string;
  readonly accept?: string;
  /** How large its answer may be, where no answer is needed that is as large as the others. */
  readonly bound?: number;
  /** Whether carrying it out twice comes to the same as once. */
  readonly repeatable: boolean;
  /** Asked before every attempt: why it must not be sent, or not again. */
  readonly forbidden?: () => string | undefined;
}

/** What a call accepts whose answer is no JSON. */
export const anything = "*/*";

/** The last answer; `outcomeUnknown` when an earlier attempt may have been carried out although its answer was lost. */
interface Sent {
  readonly answer: Answer<string>;
  readonly outcomeUnknown: boolean;
}

/** Requests to one API server: authenticated, bounded, repeated where that is safe. Nothing here knows an object. */
export interface Transport {
  readonly server: string;
  readonly pace: Pace;
  readonly bounds: Bounds;
  /** Whether an attempt at a write was ever made. Dry-runs write nothing. */
  hasWritten(): boolean;
  /** Whether a write other than to a lock may have been carried out. Refused ones change nothing. */
  hasChanged(): boolean;
  /** Aborts with `close`. */
  readonly closed: AbortSignal;
  send(call: Call): Promise<Sent>;
  /** The answer's body while it is still being written. One attempt only: a watch has its own way of resuming. */
  stream(call: Call, signal: AbortSignal): Promise<Answer<Readable>>;
  close(): void;
}

/** Requests under way at once. Watches are not counted: they last. */
const concurrency = 16;

export function openTransport(
  { sent = sentSecrets(), ...given }: Connection,
  pace: Pace,
  bounds: Bounds,
): Transport {
  const connection = { ...given, sent };
  const requests = openLine(connection, pace.connectTimeout, concurrency);
  const watches = openLine(connection, pace.connectTimeout, Number.POSITIVE_INFINITY);
  const closing = new AbortController();
  let contacted = false;
  let hasWritten = false;
  let hasChanged = false;

  const attempt = async (call: Call): Promise<Outcome> => {
    const why = call.forbidden?.();
    if (why !== undefined) return { type: "unanswered", error: new NotSent(why) };
    hasWritten ||= isWrite(call);
    const outcome = await exchangeOnce(call);
    hasChanged ||= isWrite(call) && !leases.test(call.path) && mayHaveChanged(outcome);
    return outcome;
  };

  const exchangeOnce = async (call: Call): Promise<Outcome> => {
    const timeout = AbortSignal.timeout(pace.answerTimeout);
    const signal = AbortSignal.any([timeout, closing.signal]);
    try {
      const exchanged = (credentials: Credentials) =>
        exchange(requests, credentials, requestOf(call, "gzip"), signal);
      const response = await admitted(connection, exchanged);
      contacted = true;
      const text = await textOf(call, response, bounds);
      return { type: "answered", status: response.status, headers: response.headers, text };
    } catch (error) {
      // We abort a body that does not end in time, which looks as if the server had done so.
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
      return { answer: answerOf(last.outcome, connection), outcomeUnknown: last.outcomeUnknown };
    },
    stream: async (call, signal) => {
      const head = new AbortController();
      const timer = setTimeout(() => head.abort(), pace.answerTimeout);
      const either = AbortSignal.any([signal, head.signal]);
      try {
        const exchanged = (credentials: Credentials) =>
          exchange(watches, credentials, requestOf(call, "identity"), either);
        const response = await admitted(connection, exchanged);
        if (response.status === 200) return { ok: true, value: response.body };
        return refused(response.status, await textOf(call, response, bounds), connection);
      } catch (error) {
        return unanswered(error, connection);
      } finally {
        clearTimeout(timer);
      }
    },
    close: () => {
      closing.abort(new Error("we closed the connection"));
      requests.agent.destroy();
      watches.agent.destroy();
    },
  };
}

/** Whether it may change something. A review of rights is created, but only answered. */
export function isWrite({ method, path, query }: Pick<Call, "method" | "path" | "query">): boolean {
  return method !== "GET" && query?.dryRun === undefined && !reviews.test(path);
}

const leases = /^\/apis\/coordination\.k8s\.io\//;
const reviews = /^\/apis\/authorization\.k8s\.io\//;

function tookTooLong(): Error {
  return Object.assign(new Error("the answer took too long"), { code: "ABORT_ERR" });
}

/** The whole answer, if it is one that a cluster could give. */
async function textOf(call: Call, { status, body }: HttpResponse, bounds: Bounds): Promise<string> {
  const limit = Math.min(
    call.bound ?? bounds.answer,
    status < 300 ? bounds.answer : bounds.refusal,
  );
  const text = await readAll(body, limit).catch((error: unknown) => {
    if (!(error instanceof BeyondBounds)) throw error;
    throw new BeyondBounds(`it answered ${call.method} ${call.path} with ${error.message}`);
  });
  if (call.accept === anything || !nestsTooDeep(text)) return text;
  const what = `its answer to ${call.method} ${call.path} nests deeper than`;
  throw new BeyondBounds(`${what} ${deepestNesting} levels`);
}

type Line = Connection & { readonly sent: SentSecrets };

/** A credential may expire at any moment, so a first 401 only means that a new one is due. */
async function admitted(
  connection: Line,
  exchanged: (credentials: Credentials) => Promise<HttpResponse>,
): Promise<HttpResponse> {
  const credentials = await connection.credentials();
  addSent(connection.sent, credentials);
  const response = await exchanged(credentials);
  if (response.status !== 401) return response;
  // Reading on could take for ever.
  response.body.destroy();
  const renewed = await connection.renewedCredentials(credentials);
  addSent(connection.sent, renewed);
  return exchanged(renewed);
}

function requestOf(call: Call, encoding: "gzip" | "identity") {
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

/** Nothing is wrong with the cluster: we have kept the request to ourselves. */
class NotSent extends Error {}

function answerOf(outcome: Outcome, connection: Line): Answer<string> {
  if (outcome.type === "unanswered") return unanswered(outcome.error, connection);
  const { status, headers, text } = outcome;
  const isOk = status >= 200 && status < 300;
  const answer = isOk ? ({ ok: true, value: text } as const) : refused(status, text, connection);
  const { sent } = connection;
  const warnings = sent.hide(warningsIn({ ...headers, warning: sent.hide(headers.warning) }));
  return warnings.length === 0 ? answer : { ...answer, warnings };
}

/** The server does not say why it knows nobody of that name, so the name is said. */
function refused(status: number, text: string, { identity, sent }: Line): FailedAnswer {
  // Before a part of it is cut off, and again without the escapes of JSON.
  const answer = sent.hide(refusal(status, sent.hide(text)));
  const who = status === 401 ? identity?.() : undefined;
  if (who === undefined) return answer;
  const message = `${answer.failure.message}. It does not accept the ID token with ${who}`;
  return { ok: false, failure: { ...answer.failure, message, fix: compareWithIssuers } };
}

const compareWithIssuers =
  "Compare these with `issuer.url`, `issuer.audiences` and the rules of its AuthenticationConfiguration, and with the input oidc-audience; the log of the API server tells which of them does not fit";

/** A credential that is not available is for the user to fix, like one that is refused. */
function unanswered(error: unknown, connection: Line): FailedAnswer {
  return connection.sent.hide(whyUnanswered(error, connection));
}

function whyUnanswered(error: unknown, { server }: Connection): FailedAnswer {
  if (error instanceof UserError) return failure("unauthorized", error.message);
  if (error instanceof NotSent) return failure("other", error.message);
  if (error instanceof BeyondBounds) return failure("beyond-bounds", error.message);
  return unreachable(server, error);
}
