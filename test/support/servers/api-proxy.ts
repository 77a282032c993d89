import { readFileSync, writeFileSync } from "node:fs";
import * as http from "node:http";
import * as https from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { parse, stringify } from "yaml";
import { type NumberedRequest, toNumberedRequest } from "../../sweeps/numbered-request.ts";

/** A change of one exchange. By default, the proxy only forwards it. */
export interface Interference {
  /** Awaited before the request is sent to the API server. */
  readonly before?: () => Promise<void> | void;
  /** The answer to the client. The API server receives no request then. */
  readonly answer?: {
    readonly status: number;
    readonly headers?: http.OutgoingHttpHeaders;
    readonly body: string;
  };
  /**
   * Cuts the connection before the request is forwarded, after the API server has answered, or
   * within the answer.
   */
  readonly cut?: "before" | "after" | "within";
  /** Awaited when the API server has answered, before the client receives the answer. */
  readonly after?: () => Promise<void> | void;
  /** Ends an endless answer after this many milliseconds. */
  readonly endAfter?: number;
}

export type Rule = (request: NumberedRequest) => Interference | undefined;

/** A proxy between one run of qvs and the API server. */
export interface ApiProxy {
  /** The kubeconfig of the user `admin` for this proxy. */
  readonly kubeconfig: string;
  /** The requests so far, in the order of arrival. */
  readonly requests: readonly NumberedRequest[];
  /** Applies the rule to all following requests. */
  setRule(rule: Rule): void;
  /** Resolves when the API server has answered all forwarded requests, except watches. */
  settled(): Promise<void>;
  /** Cuts every open connection, also of watches, like a restart of the API server. */
  disconnect(): void;
  close(): Promise<void>;
}

interface Route {
  readonly server: URL;
  readonly agent: https.Agent;
  /** The name of this run in the audit log. */
  readonly userAgent: string;
}

/**
 * Starts a proxy. Its kubeconfig is written to `directory`. `run` identifies the run in the audit
 * log, as `qvs/RUN`.
 */
export async function startApiProxy(
  adminKubeconfig: string,
  directory: string,
  run: string,
): Promise<ApiProxy> {
  const admin = parse(readFileSync(adminKubeconfig, "utf8"));
  const route: Route = {
    server: new URL(admin.clusters[0].cluster.server),
    // The connection stays on this machine, and the certificate is as new as the server.
    agent: new https.Agent({ keepAlive: true, rejectUnauthorized: false }),
    userAgent: `qvs/${run}`,
  };
  const requests: NumberedRequest[] = [];
  const underWay = new Set<Promise<void>>();
  let rule: Rule = () => undefined;
  const server = http.createServer(async (request, response) => {
    const body = await buffer(request).catch(() => Buffer.of());
    const one = toNumberedRequest(request, requests);
    requests.push(one);
    const work = handle(route, request, body, response, rule(one) ?? {});
    if (one.verb === "watch") return;
    underWay.add(work);
    await work;
    underWay.delete(work);
  });
  server.keepAliveTimeout = 60_000;
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  admin.clusters[0].cluster = { server: `http://127.0.0.1:${port}` };
  const kubeconfig = join(directory, `${run}.kubeconfig.yaml`);
  writeFileSync(kubeconfig, stringify(admin), { mode: 0o600 });
  return {
    kubeconfig,
    requests,
    setRule: (next) => {
      rule = next;
    },
    settled: async () => {
      while (underWay.size > 0) await Promise.all(underWay);
    },
    disconnect: () => server.closeAllConnections(),
    close: async () => {
      route.agent.destroy();
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

/**
 * Handles one request and never rejects. An error on one side cuts the other one, like in a real
 * proxy.
 */
async function handle(
  route: Route,
  request: http.IncomingMessage,
  body: Buffer,
  response: http.ServerResponse,
  interference: Interference,
): Promise<void> {
  const cut = () => void response.destroy();
  try {
    await interference.before?.();
    if (interference.cut === "before") return cut();
    if (interference.answer !== undefined) return reply(response, interference.answer);
    const upstream = await forward(route, request, body, response);
    if (request.url?.includes("watch=true")) return passOn(upstream, response, interference);
    const answer = await buffer(upstream);
    await interference.after?.();
    if (interference.cut === "after") return cut();
    response.writeHead(upstream.statusCode ?? 502, upstream.headers);
    if (interference.cut !== "within") return void response.end(answer);
    response.write(answer.subarray(0, answer.length >> 1));
    await sleep(10);
    cut();
  } catch {
    cut();
  }
}

function reply(
  response: http.ServerResponse,
  { status, headers, body }: NonNullable<Interference["answer"]>,
): void {
  response.writeHead(status, { "content-type": "application/json", ...headers }).end(body);
}

function forward(
  { server, agent, userAgent }: Route,
  { method = "GET", url = "/", headers }: http.IncomingMessage,
  body: Buffer,
  response: http.ServerResponse,
): Promise<http.IncomingMessage> {
  return new Promise((resolve, reject) => {
    const sent = https.request(new URL(url, server), {
      method,
      agent,
      headers: { ...headers, host: server.host, "user-agent": userAgent },
    });
    sent.on("response", resolve).on("error", reject).end(body);
    // A watch without a client must not stay open. A write is carried out even if its sender has
    // ended.
    if (url.includes("watch=true")) response.on("close", () => sent.destroy());
  });
}

function passOn(
  upstream: http.IncomingMessage,
  response: http.ServerResponse,
  { endAfter, cut }: Interference,
): void {
  response.writeHead(upstream.statusCode ?? 502, upstream.headers);
  response.flushHeaders();
  const end = () => (cut === undefined ? response.end() : response.destroy());
  upstream.on("data", (chunk) => response.writable && response.write(chunk));
  upstream.on("end", () => response.end()).on("error", () => response.destroy());
  if (endAfter !== undefined) setTimeout(end, endAfter);
}
