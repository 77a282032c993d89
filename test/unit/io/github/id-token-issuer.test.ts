import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test, vi } from "vitest";
import { createIdTokenIssuer } from "../../../../src/io/github/id-token-issuer.ts";

interface Answer {
  readonly status: number;
  readonly body: string;
}

/** Starts GitHub's endpoint, which answers in order and then repeats the last answer. */
async function endpoint(answers: readonly Answer[]) {
  const requests: Pick<IncomingMessage, "url" | "headers">[] = [];
  const server = createServer((request, response) => {
    const answer = answers[Math.min(requests.length, answers.length - 1)];
    requests.push(request);
    response.writeHead(answer?.status ?? 500, { location: "http://127.0.0.1:1/" });
    response.end(answer?.body);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const env = {
    ACTIONS_ID_TOKEN_REQUEST_URL: `http://127.0.0.1:${port}/token?api-version=2.0`,
    ACTIONS_ID_TOKEN_REQUEST_TOKEN: "request-token",
  };
  return { requests, env };
}

const issued = { status: 200, body: JSON.stringify({ value: "an-id-token" }) };

/** Returns the result, and the text that the runner masks. */
async function ask(env: Readonly<Record<string, string>>) {
  let printed = "";
  const write = vi.spyOn(process.stdout, "write").mockImplementation((text) => {
    printed += text;
    return true;
  });
  try {
    return {
      result: await createIdTokenIssuer(env, { firstDelay: 1 })("https://a b").catch(String),
      printed,
    };
  } finally {
    write.mockRestore();
  }
}

test("qvs requests a token as GitHub documents it, and masks it", async () => {
  const { requests, env } = await endpoint([issued]);
  const { result, printed } = await ask(env);
  expect(result).toBe("an-id-token");
  expect(printed).toContain("::add-mask::an-id-token");
  const [{ url, headers } = { url: "", headers: {} }] = requests;
  expect(url).toBe("/token?api-version=2.0&audience=https%3A%2F%2Fa+b");
  expect(headers.authorization).toBe("Bearer request-token");
});

test.for([
  {
    what: "trouble that ends",
    answers: [{ status: 503, body: "" }, issued],
    message: "an-id-token",
    times: 2,
  },
  {
    what: "trouble that lasts",
    answers: [{ status: 502, body: "" }],
    message: "GitHub issued no ID token in 4 attempts\n  error: HTTP 502",
    times: 4,
  },
  {
    what: "a rejection",
    answers: [{ status: 403, body: "no" }],
    message: "issued no ID token\n  answer: HTTP 403",
    times: 1,
  },
  {
    what: "no token",
    answers: [{ status: 200, body: "{}" }],
    message: "issued no ID token\n  answer: HTTP 200",
    times: 1,
  },
  {
    what: "a redirect",
    answers: [{ status: 302, body: "" }],
    message: "no ID token in 4 attempts",
    times: 4,
  },
  {
    what: "more than a token",
    answers: [{ status: 200, body: "x".repeat(2 << 20) }],
    message: "more than 1 MiB",
    times: 1,
  },
])("$what", async ({ answers, message, times }) => {
  const { requests, env } = await endpoint(answers);
  const { result } = await ask(env);
  expect(result).toContain(message);
  expect(result).not.toContain("request-token");
  expect(requests).toHaveLength(times);
});

test("a job without the permission gets the name of the permission and where to set it", async () => {
  const { result } = await ask({});
  expect(result).toContain("`permissions: id-token: write`");
  expect(result).toContain("also the job that calls a reusable workflow");
});
