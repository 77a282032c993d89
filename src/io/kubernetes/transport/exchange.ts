import * as http from "node:http";
import * as https from "node:https";
import type { Socket } from "node:net";
import { pipeline, type Readable } from "node:stream";
import { createSecureContext, type SecureContext, TLSSocket } from "node:tls";
import { urlToHttpOptions } from "node:url";
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
  /** The server's host and port for Node's requests, and the path before that of each request. */
  readonly address: http.RequestOptions & { readonly path: string };
  readonly secureContext: (credentials: Credentials) => SecureContext;
  /** Milliseconds, including TLS. */
  readonly connectTimeout: number;
}

/** Opens sockets to a server, as many as there are concurrent requests. */
export function openSockets(connection: Connection, connectTimeout: number): ServerSockets {
  const options = { keepAlive: true, proxyEnv: connection.proxy };
  const agent = isTls(connection) ? new https.Agent(options) : new http.Agent(options);
  nameSocketsByContext(agent);
  const url = new URL(connection.server);
  const address = { ...urlToHttpOptions(url), path: url.pathname.replace(/(?<!\/)\/+$/, "") };
  return { connection, agent, address, secureContext: contextMaker(connection), connectTimeout };
}

/**
 * Lets only requests with the same TLS context share sockets. Node's own names of sockets contain
 * all certificates and keys, and Node makes three names for each request.
 */
function nameSocketsByContext(agent: http.Agent): void {
  const names = new WeakMap<SecureContext, string>();
  let last = 0;
  agent.getName = (options) => {
    const { secureContext } = options as { readonly secureContext?: SecureContext };
    if (secureContext === undefined) return "plain";
    const known = names.get(secureContext);
    if (known !== undefined) return known;
    last += 1;
    names.set(secureContext, `context ${last}`);
    return `context ${last}`;
  };
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

/**
 * Sends one request and resolves with the head of its answer. Rejects with the system's error.
 * `onStart` receives the request when it starts. `destroy` ends the request and its answer.
 */
export function exchange(
  { connection, agent, address, secureContext, connectTimeout }: ServerSockets,
  credentials: Credentials,
  request: HttpRequest,
  onStart: (sent: http.ClientRequest) => void,
): Promise<HttpResponse> {
  const { rejectUnauthorized, servername } = connection.tls;
  const options = {
    ...address,
    path: `${address.path}${request.path}`,
    method: request.method,
    agent,
    headers: {
      "User-Agent": "qvs",
      ...connection.impersonation,
      ...credentials.headers,
      ...request.headers,
    },
    ...(isTls(connection)
      ? {
          ...definedOnly({ rejectUnauthorized, servername }),
          secureContext: secureContext(credentials),
        }
      : {}),
  };
  const send = isTls(connection) ? https.request : http.request;
  return new Promise((resolve, reject) => {
    const sent = send(options, (response) => {
      const { statusCode = 0, headers } = response;
      resolve({ status: statusCode, headers, body: unzipped(response) });
    });
    sent.on("error", reject);
    onStart(sent);
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
export function readAll(body: Readable, limit: number): Promise<string> {
  // Iterating over the body would cost several times as much as reading a small answer.
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    body.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
      chunks.push(chunk);
      if (bytes <= limit) return;
      // This also ends the connection.
      body.destroy();
      reject(new BoundsExceeded(`more than ${mebibytes(limit)}`));
    });
    body.on("end", () => resolve(Buffer.concat(chunks).toString("utf8")));
    body.on("error", reject);
    const onClose = () => {
      if (!body.readableEnded) reject(body.errored ?? cutAnswer());
    };
    body.on("close", onClose);
    if (body.destroyed) onClose();
  });
}

function cutAnswer(): Error {
  const error = new Error("the connection ended before the answer");
  return Object.assign(error, { code: "ERR_STREAM_PREMATURE_CLOSE" });
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

function unzipped(response: http.IncomingMessage): Readable {
  if (response.headers["content-encoding"] !== "gzip") return response;
  // Unlike pipe(), pipeline() forwards a cut connection, so that the reader doesn't hang.
  return pipeline(response, createGunzip(), () => undefined);
}
