import * as http from "node:http";
import * as https from "node:https";
import { pipeline, type Readable } from "node:stream";
import { createGunzip } from "node:zlib";
import type { Connection, Credentials } from "./connection.ts";

export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

export interface HttpRequest {
  readonly method: Method;
  /** Below the server's address, percent-encoded, with its query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
}

export interface HttpResponse {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  /** Unzipped. Has to be read to its end or destroyed, or its socket is never free again. */
  readonly body: Readable;
}

/** How many requests are under way at once; more wait for a socket. Watches are not counted. */
const sockets = 16;

/** Sockets are kept open: a TLS handshake costs more than most of the requests. */
export function openAgent(connection: Connection, purpose: "requests" | "watches"): http.Agent {
  const options = {
    keepAlive: true,
    maxSockets: purpose === "watches" ? Number.POSITIVE_INFINITY : sockets,
    proxyEnv: connection.proxy,
  };
  return isTls(connection) ? new https.Agent(options) : new http.Agent(options);
}

/** Sends one request and resolves with the head of its answer; rejects with the system's error. */
export function exchange(
  connection: Connection,
  credentials: Credentials,
  agent: http.Agent,
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
    ...(isTls(connection) ? { ...definedOnly(connection.tls), ...certificate(credentials) } : {}),
  };
  const send = isTls(connection) ? https.request : http.request;
  return new Promise((resolve, reject) => {
    const sent = send(`${connection.server}${request.path}`, options, (response) => {
      const { statusCode = 0, headers } = response;
      resolve({ status: statusCode, headers, body: unzipped(response) });
    });
    sent.on("error", reject);
    sent.end(request.body);
  });
}

/** The whole body as text; rejects when the connection is cut before its end. */
export async function readAll(body: Readable): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of body) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString("utf8");
}

function isTls(connection: Connection): boolean {
  return connection.server.startsWith("https:");
}

function definedOnly(tls: Connection["tls"]): Partial<Connection["tls"]> {
  return Object.fromEntries(Object.entries(tls).filter(([, value]) => value !== undefined));
}

function certificate({ cert, key }: Credentials): Pick<https.RequestOptions, "cert" | "key"> {
  return cert === undefined ? {} : { cert, key };
}

function unzipped(response: http.IncomingMessage): Readable {
  if (response.headers["content-encoding"] !== "gzip") return response;
  // Unlike pipe(), pipeline() hands a cut connection on, so that the reader is not left waiting.
  return pipeline(response, createGunzip(), () => undefined);
}
