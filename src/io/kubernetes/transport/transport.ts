import type { ClientRequest } from "node:http";
import { addAbortSignal, type Readable } from "node:stream";
import pLimit from "p-limit";
import type { ApiResult } from "../../../model/cluster/api/api-failure.ts";
import { deepestNesting, exceedsMaxNesting, type Json } from "../../../model/json.ts";
import type { ProbeAnswer, ProbeLimits } from "../../../ports/probe.ts";
import {
  addRequestSecrets,
  type SentSecrets,
  sentSecrets,
} from "../../../redaction/sent-secrets.ts";
import { type HidingConnection, NotSent, refused, toAnswer, unanswered } from "./answers.ts";
import type { Connection, Credentials } from "./connection.ts";
import {
  exchange,
  type HttpResponse,
  type Method,
  openSockets,
  readAll,
  readStart,
  type ServerSockets,
} from "./exchange.ts";
import { type AnswerBounds, BoundsExceeded, type Pace } from "./limits.ts";
import { mayHaveChanged, type RequestOutcome, retry } from "./retry.ts";

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
  /** Further headers. They can replace `accept`. */
  readonly headers?: Readonly<Record<string, string>>;
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
  /** Collects the credentials that the run sends. */
  readonly sent: SentSecrets;
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
  /** Returns the status and the start of the body of any answer. It makes only one attempt. */
  probe(call: Call & ProbeLimits, signal: AbortSignal): Promise<ProbeAnswer>;
  close(): void;
}

/** The maximum number of concurrent requests. Watches don't count, because they last. */
const concurrency = 16;

/**
 * Opens a transport. With `shared` sockets, it reuses the TLS connections of other transports to
 * the same server, and leaves them open when it is closed.
 */
export function openTransport(
  { sent = sentSecrets(), ...given }: Connection,
  pace: Pace,
  bounds: AnswerBounds,
  shared?: ServerSockets,
): Transport {
  const connection = { ...given, sent };
  const sockets = shared ?? openSockets(connection, pace.connectTimeout);
  const limit = pLimit(concurrency);
  const closing = new AbortController();
  const running = new Set<ClientRequest>();
  let contacted = false;
  let hasWritten = false;
  let hasChanged = false;

  const attempt = async (call: Call): Promise<RequestOutcome> => {
    const why = call.forbidden?.();
    if (why !== undefined) return { type: "unanswered", error: new NotSent(why) };
    hasWritten ||= isWrite(call);
    const outcome = await limit(() => exchangeOnce(call));
    hasChanged ||= isWrite(call) && !leases.test(call.path) && mayHaveChanged(outcome);
    return outcome;
  };

  const exchangeOnce = async (call: Call): Promise<RequestOutcome> => {
    // AbortSignals would cost a tenth of the CPU time of a small request.
    const started: ClientRequest[] = [];
    let isLate = false;
    const end = () => {
      for (const request of started) request.destroy(closing.signal.reason ?? tookTooLong());
    };
    const timer = setTimeout(() => {
      isLate = true;
      end();
    }, pace.answerTimeout).unref();
    const onStart = (request: ClientRequest) => {
      started.push(request);
      running.add(request);
      if (isLate || closing.signal.aborted) end();
    };
    try {
      const exchanged = (credentials: Credentials) =>
        exchange(sockets, credentials, toHttpRequest(call, "gzip"), onStart);
      const response = await sendAuthenticated(connection, exchanged);
      contacted = true;
      const text = await readAnswerText(call, response, bounds);
      return { type: "answered", status: response.status, headers: response.headers, text };
    } catch (error) {
      // qvs aborts a body that doesn't end in time. The error looks as if the server had cut the
      // connection.
      const late = isLate ? tookTooLong() : error;
      return { type: "unanswered", error: closing.signal.reason ?? late };
    } finally {
      clearTimeout(timer);
      for (const request of started) running.delete(request);
    }
  };

  return {
    server: connection.server,
    pace,
    bounds,
    sent,
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
          exchange(sockets, credentials, toHttpRequest(call, "identity"), (request) =>
            addAbortSignal(either, request),
          );
        const response = await sendAuthenticated(connection, exchanged);
        if (response.status === 200) return { ok: true, value: response.body };
        return refused(response.status, await readAnswerText(call, response, bounds), connection);
      } catch (error) {
        return unanswered(error, connection);
      } finally {
        clearTimeout(timer);
      }
    },
    probe: async ({ timeoutMs, bodyBytes, ...call }, signal) => {
      const began = performance.now();
      const timeout = AbortSignal.timeout(timeoutMs);
      const any = AbortSignal.any([signal, timeout, closing.signal]);
      try {
        const exchanged = (credentials: Credentials) =>
          exchange(sockets, credentials, toHttpRequest(call, "identity"), (request) =>
            addAbortSignal(any, request),
          );
        const { status, body } = await sendAuthenticated(connection, exchanged);
        const start = await readStart(body, bodyBytes);
        const latencyMs = performance.now() - began;
        return sent.hide({ type: "answered" as const, status, ...start, latencyMs });
      } catch (error) {
        const late = timeout.aborted ? tookTooLong() : error;
        return { type: "unanswered", why: unanswered(late, connection).failure.message };
      }
    },
    close: () => {
      const error = new Error("qvs closed the connection");
      closing.abort(error);
      for (const request of running) request.destroy(error);
      if (shared === undefined) sockets.agent.destroy();
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
      ...call.headers,
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
