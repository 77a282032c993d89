import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

/** Stands where a cluster would be, knows nobody, and writes down what it is asked. */
export interface WatchedServer {
  /** Content of a kubeconfig that leads here. */
  readonly kubeconfig: string;
  readonly address: string;
  readonly requests: readonly string[];
  /** Of each request, its Authorization header; "" for none. */
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
