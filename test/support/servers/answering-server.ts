import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { networkInterfaces } from "node:os";
import { onTestFinished } from "vitest";

export interface Answer {
  readonly status?: number;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Milliseconds before the answer. */
  readonly delay?: number;
}

/** A server that a check can reach through the API server, or by its address. */
export interface AnsweringServer {
  readonly host: string;
  readonly port: number;
  readonly address: string;
  readonly requests: readonly { readonly path: string; readonly headers: IncomingHttpHeaders }[];
  answer(next: Answer): void;
}

/** Starts a server on an address that isn't loopback. Kubernetes accepts no loopback endpoints. */
export async function startAnsweringServer(first: Answer = {}): Promise<AnsweringServer> {
  const requests: AnsweringServer["requests"][number][] = [];
  let current = first;
  const server = createServer((request, response) => {
    requests.push({ path: request.url ?? "", headers: request.headers });
    const { status = 200, body = "ok", headers = {}, delay = 0 } = current;
    setTimeout(() => response.writeHead(status, headers).end(body), delay);
  });
  await new Promise<void>((resolve) => server.listen(0, "0.0.0.0", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const host = ownAddress();
  return {
    host,
    port,
    address: `http://${host}:${port}`,
    requests,
    answer: (next) => {
      current = next;
    },
  };
}

function ownAddress(): string {
  const found = Object.values(networkInterfaces())
    .flat()
    .find((each) => each?.family === "IPv4" && !each.internal);
  if (found === undefined) throw new Error("this machine has only a loopback address");
  return found.address;
}
