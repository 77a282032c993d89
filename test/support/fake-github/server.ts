import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { type ApiRequest, type Contract, loadContract } from "./contract.ts";
import { answerGraphql } from "./graphql.ts";
import { type Answer, answer, type FakeServer } from "./routes.ts";
import { State } from "./state.ts";

/** The parts of GitHub's API that qvs uses, on a loopback port. */
export interface FakeGitHub {
  /** The value for GITHUB_API_URL. */
  readonly apiUrl: string;
  readonly state: State;
  /** The requests, such as `POST /repos/acme/shop/issues/7/comments`. */
  readonly requests: readonly string[];
  /** Requests and answers that violate GitHub's API description. A test expects none at its end. */
  readonly violations: readonly string[];
  /**
   * Answers the next matching requests with this status and message, to test retries.
   * A request matches if its path contains `part`.
   */
  failNext(status: number, times: number, how?: Partial<Omit<Failure, "status">>): void;
  /** Stops answering requests whose path contains `part`. */
  keepSilentAt(part: string): void;
  close(): Promise<void>;
}

interface Failure {
  readonly status: number;
  /** A part of the path. */
  readonly part: string;
  readonly method?: string;
  readonly message: string;
  /** Replaces the message. */
  readonly body?: object;
  readonly headers?: Readonly<Record<string, string>>;
  /** True to carry the request out before the answer, as GitHub sometimes does. */
  readonly isDone?: boolean;
}

export interface FakeGitHubOptions {
  /** The owner of the token. Default: the workflow's own token. */
  readonly login?: string;
  /**
   * Serves the paths of GitHub Enterprise Server: REST below /api/v3 and GraphQL at /api/graphql.
   */
  readonly enterprise?: boolean;
}

const paths = { rest: "", graphql: "/graphql" };
const enterprisePaths = { rest: "/api/v3", graphql: "/api/graphql" };

export async function startFakeGitHub({
  login = "github-actions[bot]",
  enterprise = false,
}: FakeGitHubOptions = {}): Promise<FakeGitHub> {
  const contract = loadContract();
  const { rest, graphql } = enterprise ? enterprisePaths : paths;
  const state = new State();
  const requests: string[] = [];
  const violations: string[] = [];
  const failures: Failure[] = [];
  const silent: string[] = [];
  const server = createServer(async (incoming, response) => {
    const request = await readRequest(incoming, { rest, graphql, origin });
    if (request === undefined) {
      violations.push(`${incoming.method} ${incoming.url}: nothing is served there`);
      send(response, { status: 404 });
      return;
    }
    requests.push(`${request.method} ${request.url.pathname}`);
    if (silent.some((part) => request.url.pathname.includes(part))) return;
    const failing = failures.findIndex(
      ({ part, method = request.method }) =>
        request.url.pathname.includes(part) && request.method === method,
    );
    const [failure] = failing < 0 ? [] : failures.splice(failing, 1);
    const carryOut = () => respond({ apiUrl, state, login }, request, contract, violations);
    if (failure === undefined) return send(response, carryOut());
    if (failure.isDone === true) carryOut();
    send(response, failureAnswer(failure));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const apiUrl = `${origin}${rest}`;
  return {
    apiUrl,
    state,
    requests,
    violations,
    failNext: (status, times, how = {}) => {
      const failure = { status, part: "", message: "Injected failure", ...how };
      failures.push(...Array.from({ length: times }, () => failure));
    },
    keepSilentAt: (part) => void silent.push(part),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        if (silent.length > 0) server.closeAllConnections();
      }),
  };
}

function failureAnswer({ status, body, message, headers }: Failure): Answer {
  return { status, body: body ?? { message }, headers };
}

function respond(
  server: FakeServer,
  request: ApiRequest,
  contract: Contract,
  violations: string[],
): Answer {
  if (request.url.pathname === "/graphql") {
    const { wrong, ...reply } = answerGraphql(server, request);
    if (wrong !== undefined) violations.push(`POST /graphql: ${wrong}`);
    return reply;
  }
  // This request is for another host, which GitHub's description doesn't cover.
  if (request.url.pathname.startsWith("/stored/")) return answer(server, request);
  const wrong = contract.checkRequest(request);
  if (wrong !== undefined) {
    violations.push(`${request.method} ${request.url.pathname}: ${wrong}`);
    return { status: 422, body: { message: wrong } };
  }
  const reply = answer(server, request);
  const odd = reply.status < 300 ? contract.checkAnswer(request, reply.body) : undefined;
  if (odd !== undefined)
    violations.push(`our answer to ${request.method} ${request.url.pathname}: ${odd}`);
  return reply;
}

interface Served {
  readonly origin: string;
  readonly rest: string;
  readonly graphql: string;
}

/** Reads a request as api.github.com would receive it. Undefined for paths outside the API. */
async function readRequest(
  incoming: IncomingMessage,
  { origin, rest, graphql }: Served,
): Promise<ApiRequest | undefined> {
  const body = await text(incoming);
  const path = incoming.url ?? "/";
  const isGraphql = path === graphql;
  if (!isGraphql && !path.startsWith(`${rest}/`)) return undefined;
  return {
    method: incoming.method ?? "GET",
    url: new URL(isGraphql ? paths.graphql : path.slice(rest.length), origin),
    body: body === "" ? undefined : JSON.parse(body),
  };
}

function send(
  response: ServerResponse,
  { status, body, bytes, link, headers: more }: Answer,
): void {
  if (bytes !== undefined) {
    response.writeHead(status, { "content-type": "application/zip" }).end(bytes);
    return;
  }
  const headers = {
    "content-type": "application/json; charset=utf-8",
    ...more,
    ...(link === undefined ? {} : { link }),
  };
  response.writeHead(status, headers).end(body === undefined ? "" : JSON.stringify(body));
}
