import * as http from "node:http";
import * as https from "node:https";
import type { Socket } from "node:net";
import { pipeline, type Readable } from "node:stream";
import { createSecureContext, type SecureContext, TLSSocket } from "node:tls";
import { createGunzip } from "node:zlib";
import type { Connection, Credentials } from "./connection.ts";
import { BoundsExceeded, mebibytes } from "./limits.ts";

export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

export interface HttpRequest {
  readonly method: Method;
  /** The path below the server's address, percent-encoded, with its query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
}

export interface HttpResponse {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  /**
   * Uncompressed. It must be read to its end or destroyed, because its socket is never free again
   * otherwise.
   */
  readonly body: Readable;
}

/**
 * The sockets to one server. They stay open, because a TLS handshake costs more than most requests.
 */
export interface ServerSockets {
  readonly connection: Connection;
  readonly agent: http.Agent;
  readonly secureContext: (credentials: Credentials) => SecureContext;
  /** Milliseconds, including TLS. */
  readonly connectTimeout: number;
}

/** Opens sockets to a server, as many as there are concurrent requests. */
export function openSockets(connection: Connection, connectTimeout: number): ServerSockets {
  const options = { keepAlive: true, proxyEnv: connection.proxy };
  const agent = isTls(connection) ? new https.Agent(options) : new http.Agent(options);
  return { connection, agent, secureContext: contextMaker(connection), connectTimeout };
}

/**
 * Returns a function that keeps one TLS context per credential. Otherwise, each socket would read
 * the certificates and the key again.
 */
function contextMaker({ tls: { ca } }: Connection): ServerSockets["secureContext"] {
  let last: { readonly generation: number; readonly context: SecureContext } | undefined;
  return ({ generation, cert, key }) => {
    if (last?.generation !== generation)
      last = { generation, context: createSecureContext(definedOnly({ ca, cert, key })) };
    return last.context;
  };
}

/** Sends one request and resolves with the head of its answer. Rejects with the system's error. */
export function exchange(
  { connection, agent, secureContext, connectTimeout }: ServerSockets,
  credentials: Credentials,
  request: HttpRequest,
  signal: AbortSignal,
): Promise<HttpResponse> {
  const options = {
    method: request.method,
    agent,
    signal,
    headers: {
      "User-Agent": "qvs",
      ...connection.impersonation,
      ...credentials.headers,
      ...request.headers,
    },
    ...(isTls(connection)
      ? {
          ...definedOnly(connection.tls),
          // The agent distinguishes sockets with different certificates by these fields.
          ...certificate(credentials),
          secureContext: secureContext(credentials),
        }
      : {}),
  };
  const send = isTls(connection) ? https.request : http.request;
  return new Promise((resolve, reject) => {
    const sent = send(`${connection.server}${request.path}`, options, (response) => {
      const { statusCode = 0, headers } = response;
      resolve({ status: statusCode, headers, body: unzipped(response) });
    });
    sent.on("error", reject);
    sent.once("socket", (socket) => {
      expectErrors(socket);
      limitConnecting(sent, socket, connectTimeout);
    });
    sent.end(request.body);
  });
}

/**
 * Adds an error listener to a socket. Node.js removes its own listener when the answer has ended.
 * Without another one, the error of a request that is aborted at that moment would end the process.
 * The caller has its result by then.
 */
function expectErrors(socket: Socket): void {
  if (!socket.listeners("error").includes(ignoreError)) socket.on("error", ignoreError);
}

const ignoreError = () => undefined;

/**
 * Limits the time to connect. Otherwise, a firewall that drops packets would delay the error until
 * the answer timeout.
 */
function limitConnecting(sent: http.ClientRequest, socket: Socket, timeout: number): void {
  if (!socket.connecting) return;
  const error = Object.assign(new Error("the connection timed out"), { code: "ETIMEDOUT" });
  const timer = setTimeout(() => sent.destroy(error), timeout);
  const stop = () => clearTimeout(timer);
  socket.once(socket instanceof TLSSocket ? "secureConnect" : "connect", stop);
  socket.once("close", stop);
}

/**
 * Reads the whole body as text. Rejects if the connection is cut before the end, or if the
 * uncompressed body exceeds `limit` bytes.
 */
export async function readAll(body: Readable, limit: number): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += (chunk as Buffer).length;
    // Leaving the loop destroys the body, and with it the connection.
    if (bytes > limit) throw new BoundsExceeded(`more than ${mebibytes(limit)}`);
    chunks.push(chunk as Buffer);
  }
  return Buffer.concat(chunks).toString("utf8");
}

/** Reads the start of a body as text, at most `limit` bytes, and destroys the rest. */
export async function readStart(
  body: Readable,
  limit: number,
): Promise<{ readonly body: string; readonly isCut: boolean }> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    chunks.push(chunk as Buffer);
    bytes += (chunk as Buffer).length;
    if (bytes > limit) break;
  }
  const start = Buffer.concat(chunks).subarray(0, limit);
  return { body: start.toString("utf8"), isCut: bytes > limit };
}

function isTls(connection: Connection): boolean {
  return connection.server.startsWith("https:");
}

function definedOnly<T extends object>(options: T): Partial<T> {
  const defined = Object.entries(options).filter(([, value]) => value !== undefined);
  return Object.fromEntries(defined) as Partial<T>;
}

function certificate({ cert, key }: Credentials): Pick<https.RequestOptions, "cert" | "key"> {
  return cert === undefined ? {} : { cert, key };
}

function unzipped(response: http.IncomingMessage): Readable {
  if (response.headers["content-encoding"] !== "gzip") return response;
  // Unlike pipe(), pipeline() forwards a cut connection, so that the reader doesn't hang.
  return pipeline(response, createGunzip(), () => undefined);
}
