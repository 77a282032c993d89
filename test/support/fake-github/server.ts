import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { type ApiRequest, type Contract, loadContract } from "./contract.ts";
import { answerGraphql } from "./graphql.ts";
import { type Answer, answer, type FakeServer } from "./routes.ts";
import { State } from "./state.ts";

/** GitHub's API on a loopback port, as far as we use it. */
export interface FakeGitHub {
  /** For GITHUB_API_URL. */
  readonly apiUrl: string;
  readonly state: State;
  /** Every request, as `POST /repos/acme/shop/issues/7/comments`. */
  readonly requests: readonly string[];
  /** Requests and answers that GitHub's description of its API does not allow. A test ends by expecting none. */
  readonly violations: readonly string[];
  /** The next requests, or those whose path has `part` in it, are answered with this status and message, to see them repeated. */
  failNext(status: number, times: number, how?: Partial<Omit<Failure, "status">>): void;
  close(): Promise<void>;
}

interface Failure {
  readonly status: number;
  /** Of the path. */
  readonly part: string;
  readonly method?: string;
  readonly message: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface FakeGitHubOptions {
  /** Whom the token belongs to; the workflow's own token by default. */
  readonly login?: string;
}

export async function startFakeGitHub({
  login = "github-actions[bot]",
}: FakeGitHubOptions = {}): Promise<FakeGitHub> {
  const contract = loadContract();
  const state = new State();
  const requests: string[] = [];
  const violations: string[] = [];
  const failures: Failure[] = [];
  const server = createServer(async (incoming, response) => {
    const request = await readRequest(incoming, apiUrl);
    requests.push(`${request.method} ${request.url.pathname}`);
    const failing = failures.findIndex(
      ({ part, method = request.method }) =>
        request.url.pathname.includes(part) && request.method === method,
    );
    const [failure] = failing < 0 ? [] : failures.splice(failing, 1);
    const reply =
      failure === undefined
        ? respond({ apiUrl, state, login }, request, contract, violations)
        : {
            status: failure.status,
            body: { message: failure.message },
            headers: failure.headers,
          };
    send(response, reply);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const apiUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    apiUrl,
    state,
    requests,
    violations,
    failNext: (status, times, how = {}) => {
      const failure = { status, part: "", message: "Injected failure", ...how };
      failures.push(...Array.from({ length: times }, () => failure));
    },
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
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

async function readRequest(incoming: IncomingMessage, apiUrl: string): Promise<ApiRequest> {
  const body = await text(incoming);
  return {
    method: incoming.method ?? "GET",
    url: new URL(incoming.url ?? "/", apiUrl),
    body: body === "" ? undefined : JSON.parse(body),
  };
}

function send(response: ServerResponse, { status, body, link, headers: more }: Answer): void {
  const headers = {
    ...more,
    "content-type": "application/json; charset=utf-8",
    ...(link === undefined ? {} : { link }),
  };
  response.writeHead(status, headers).end(body === undefined ? "" : JSON.stringify(body));
}
