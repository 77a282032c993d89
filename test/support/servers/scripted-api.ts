import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";
import type { Connection } from "../../../src/io/kubernetes/transport/connection.ts";
import { defaultPace, type Pace } from "../../../src/io/kubernetes/transport/limits.ts";
import type { Json } from "../../../src/model/json.ts";

/** One request that arrived. */
interface Received {
  /** The method and the path with its query, such as `GET /api/v1/pods?limit=500`. */
  readonly line: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

/** The answer to one request. A function can do anything with the socket. */
export type Scripted =
  | { readonly status?: number; readonly headers?: Record<string, string>; readonly json: Json }
  | { readonly status: number; readonly headers?: Record<string, string>; readonly text: string }
  | ((response: ServerResponse, request: Received) => void);

export interface ScriptedApi {
  readonly server: string;
  /** The requests so far, without discovery. */
  readonly received: readonly Received[];
  readonly discovered: readonly Received[];
  /** Returns the lines of `received`, for comparisons. */
  lines(): readonly string[];
}

/** Cuts the connection before an answer, like a server that ends after it has done the work. */
export const cut: Scripted = (response) => response.destroy();

/** Sends no answer. */
export const silence: Scripted = () => undefined;

/**
 * Starts an API server on loopback that serves discovery. It answers other requests from a script,
 * in order, and repeats the last entry. Stops with the test.
 */
export async function scriptedApi(
  script: readonly Scripted[],
  discovery: Readonly<Record<string, Scripted>> = defaultDiscovery,
): Promise<ScriptedApi> {
  const received: Received[] = [];
  const discovered: Received[] = [];
  const http = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const { method, url = "", headers } = request;
    const body = Buffer.concat(chunks).toString("utf8");
    const one: Received = { line: `${method} ${url}`, headers, body };
    const answer = discovery[url] ?? script[Math.min(received.length, script.length - 1)];
    (url in discovery ? discovered : received).push(one);
    if (answer === undefined) throw new Error(`nothing is scripted for ${one.line}`);
    play(answer, response, one);
  });
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    http.closeAllConnections();
    http.close();
  });
  const { port } = http.address() as AddressInfo;
  return {
    server: `http://127.0.0.1:${port}`,
    received,
    discovered,
    lines: () => received.map((one) => one.line),
  };
}

function play(answer: Scripted, response: ServerResponse, request: Received): void {
  if (typeof answer === "function") {
    answer(response, request);
    return;
  }
  response.writeHead(answer.status ?? 200, answer.headers ?? {});
  response.end("json" in answer ? JSON.stringify(answer.json) : answer.text);
}

/** Returns an error Status like the API server's. */
export function status(code: number, reason: string, message: string, more = {}): Scripted {
  const json = { kind: "Status", apiVersion: "v1", status: "Failure", code, reason, message };
  return { status: code, json: { ...json, ...more } };
}

function group(name: string, versions: Readonly<Record<string, readonly Json[]>>): Json {
  const entries = Object.entries(versions);
  return {
    metadata: { name },
    versions: entries.map(([version, resources]) => ({ version, resources, freshness: "Current" })),
  };
}

function served(kind: string, resource: string, scope = "Namespaced"): Json {
  return { resource, scope, responseKind: { group: "", version: "", kind }, verbs: ["get"] };
}

function aggregate(...items: readonly Json[]): Scripted {
  return {
    json: { kind: "APIGroupDiscoveryList", apiVersion: "apidiscovery.k8s.io/v2", items },
  };
}

const hpas = served("HorizontalPodAutoscaler", "horizontalpodautoscalers");

export const defaultDiscovery: Readonly<Record<string, Scripted>> = {
  "/api": aggregate(
    group("", {
      v1: [
        served("Pod", "pods"),
        served("ConfigMap", "configmaps"),
        served("Namespace", "namespaces", "Cluster"),
      ],
    }),
  ),
  "/apis": aggregate(
    group("apps", { v1: [served("Deployment", "deployments")] }),
    group("autoscaling", { v2: [hpas], v1: [hpas] }),
    group("rbac.authorization.k8s.io", { v1: [served("ClusterRole", "clusterroles", "Cluster")] }),
    group("coordination.k8s.io", { v1: [served("Lease", "leases")] }),
    group("networking.k8s.io", { v1: [served("Ingress", "ingresses")] }),
  ),
};

/** Returns a connection to the scripted server that needs no kubeconfig. */
export function connectionTo(api: ScriptedApi, changes: Partial<Connection> = {}): Connection {
  const credentials = async () => ({
    generation: 0,
    headers: { Authorization: "Bearer first" },
    cert: undefined,
    key: undefined,
  });
  return {
    context: "test",
    server: api.server,
    namespace: undefined,
    tls: { ca: undefined, rejectUnauthorized: true, servername: undefined },
    impersonation: {},
    proxy: {},
    credentials,
    renewedCredentials: credentials,
    ...changes,
  };
}

/**
 * Returns almost no waiting times. `slept` collects the times of Retry-After and the pauses of
 * watches.
 */
export function quickPace(slept: number[] = [], changes: Partial<Pace> = {}): Pace {
  return {
    ...defaultPace,
    attempts: 4,
    slowAttempts: 3,
    firstContactAttempts: 4,
    firstDelay: 1,
    longestDelay: 2,
    sleep: async (milliseconds) => {
      slept.push(milliseconds);
    },
    ...changes,
  };
}
