import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { UserError } from "../model/problems/errors.ts";

export interface HealthSource {
  isReady(): boolean;
  metrics(): Promise<string>;
  readonly metricsType: string;
}

export interface HealthServer {
  /** The address of the server, e.g. `0.0.0.0:8080`. */
  readonly address: string;
  close(): void;
}

/**
 * Serves the health endpoints and the metrics.
 * `/healthz` shows that the process answers, and `/readyz` that it takes part in the work.
 * `/metrics` is for Prometheus.
 * An unreachable API server makes a replica unready, not unhealthy, because a restart wouldn't
 * help.
 */
export async function serveHealth(
  { host, port }: { readonly host: string | undefined; readonly port: number },
  source: HealthSource,
): Promise<HealthServer> {
  const server = createServer((request, response) => {
    request.resume();
    void respond(request.method ?? "", urlPath(request.url ?? ""), source, response);
  });
  // The requests are short, so a client needs little time.
  server.requestTimeout = 10_000;
  server.headersTimeout = 10_000;
  server.maxConnections = 100;
  await listen(server, host, port);
  const { address, port: bound } = server.address() as AddressInfo;
  return {
    address: `${address.includes(":") ? `[${address}]` : address}:${bound}`,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

function urlPath(url: string): string {
  return url.split("?")[0] ?? "";
}

async function respond(
  method: string,
  path: string,
  source: HealthSource,
  response: ServerResponse,
): Promise<void> {
  const plain = "text/plain; charset=utf-8";
  const say = (status: number, text: string, type = plain) => {
    response.writeHead(status, { "Content-Type": type, "X-Content-Type-Options": "nosniff" });
    response.end(method === "HEAD" ? undefined : text);
  };
  if (method !== "GET" && method !== "HEAD") return say(405, "use GET\n");
  if (path === "/healthz") return say(200, "ok\n");
  if (path === "/readyz") return source.isReady() ? say(200, "ok\n") : say(503, "not ready\n");
  if (path !== "/metrics") return say(404, "use /healthz, /readyz or /metrics\n");
  try {
    say(200, await source.metrics(), source.metricsType);
  } catch {
    say(500, "the metrics can't be read\n");
  }
}

function listen(server: Server, host: string | undefined, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) =>
      reject(
        new UserError([
          {
            code: "invalid-input",
            where: [],
            what: `qvs can't listen on ${host ?? ""}:${port}`,
            facts: [{ label: "error", value: error.message }],
            fix: "Choose another address with --listen",
          },
        ]),
      ),
    );
    server.listen(port, host, resolve);
  });
}
