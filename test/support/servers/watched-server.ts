import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

/** A server in place of a cluster. It rejects every identity and records the requests. */
export interface WatchedServer {
  /** The content of a kubeconfig for this server. */
  readonly kubeconfig: string;
  readonly address: string;
  readonly requests: readonly string[];
  /** The Authorization header of each request. "" for none. */
  readonly authorizations: readonly string[];
}

export async function startWatchedServer(): Promise<WatchedServer> {
  const requests: string[] = [];
  const authorizations: string[] = [];
  const server = createServer((request, response) => {
    requests.push(`${request.method} ${request.url}`);
    authorizations.push(request.headers.authorization ?? "");
    response.writeHead(401, { "content-type": "application/json" }).end("{}");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => new Promise<void>((resolve) => server.close(() => resolve())));
  const { port } = server.address() as AddressInfo;
  const address = `http://127.0.0.1:${port}`;
  return { kubeconfig: kubeconfigFor(address), address, requests, authorizations };
}

export function kubeconfigFor(server: string): string {
  return `apiVersion: v1
kind: Config
current-context: watched
contexts: [{name: watched, context: {cluster: watched, user: watched}}]
clusters: [{name: watched, cluster: {server: "${server}"}}]
users: [{name: watched, user: {token: not-a-secret}}]
`;
}
