import { expect, test } from "vitest";
import { openCluster } from "../../../../../src/io/kubernetes/cluster.ts";
import type { ServiceTarget } from "../../../../../src/model/deployments/deployment-checks.ts";
import type { ProbeHeader } from "../../../../../src/ports/probe.ts";
import {
  connectionTo,
  quickPace,
  type Scripted,
  scriptedApi,
  silence,
  status,
} from "../../../../support/servers/scripted-api.ts";

const web: ServiceTarget = {
  type: "service",
  service: "web",
  port: "80",
  scheme: "http",
  path: "/",
};

/** Sends one request of a check, and returns the answer with the requests that arrived. */
async function get(
  script: Scripted,
  target: Partial<ServiceTarget> = {},
  headers: readonly ProbeHeader[] = [],
  signal = new AbortController().signal,
) {
  const api = await scriptedApi([script]);
  const cluster = openCluster(connectionTo(api), quickPace());
  const limits = { timeoutMs: 500, bodyBytes: 300 };
  const request = { namespace: "shop", target: { ...web, ...target }, headers };
  const answer = await cluster.getFromService(request, limits, signal);
  cluster.close();
  return { answer, lines: api.lines(), received: api.received };
}

const text = (status: number, text: string): Scripted => ({ status, text });

test("a request has the scheme and the port in its path, and one attempt", async () => {
  const plain = await get(text(503, "down"), { path: "/health?full=1" });
  expect(plain.answer).toMatchObject({ type: "answered", status: 503, body: "down" });
  expect(plain.lines).toEqual([
    "GET /api/v1/namespaces/shop/services/web%3A80/proxy/health?full=1",
  ]);
  const secure = await get(text(200, "ok"), { scheme: "https", port: "tls" });
  expect(secure.lines).toEqual(["GET /api/v1/namespaces/shop/services/https%3Aweb%3Atls/proxy/"]);
});

test("a long body is cut", async () => {
  const { answer } = await get(text(200, "x".repeat(500)));
  expect(answer).toMatchObject({ body: "x".repeat(300), isCut: true });
});

test("an error of the API server is no answer of the Service", async () => {
  const { answer } = await get(status(404, "NotFound", 'services "web" not found'));
  expect(answer).toEqual({ type: "unanswered", why: 'services "web" not found' });
});

test("a late answer and an abort are no answer", { tags: "slow" }, async () => {
  expect((await get(silence)).answer).toMatchObject({ type: "unanswered" });
  const aborted = AbortSignal.timeout(20);
  expect((await get(silence, {}, [], aborted)).answer).toMatchObject({ type: "unanswered" });
});

test("a secret header arrives, and the answer that repeats it doesn't show it", async () => {
  const header = { name: "X-Token", value: "hunter2hunter2", isSecret: true };
  const { answer, received } = await get(text(200, "hunter2hunter2!"), {}, [header]);
  expect(received[0]?.headers["x-token"]).toBe("hunter2hunter2");
  expect(answer).toMatchObject({ body: "(hidden)!" });
});

test("a check can ask for a media type", async () => {
  const accept = { name: "accept", value: "text/plain", isSecret: false };
  const { received } = await get(text(200, "ok"), {}, [accept]);
  expect(received[0]?.headers.accept).toBe("text/plain");
});

// A forged record of a release can contain anything.
test.each([
  "/../../../../secrets/keys",
  "/%2e%2e/%2e%2e/%2e%2e/secrets/keys",
  "/a/..%2f..%2f..%2f../secrets",
  "\\..\\..\\..\\secrets",
  "//evil.example/",
  "x/../../secrets",
])("the path %s never leaves the Service", async (path) => {
  const { lines } = await get(text(200, "ok"), { path });
  const prefix = "GET /api/v1/namespaces/shop/services/web%3A80/proxy/";
  expect(lines.filter((line) => !line.startsWith(prefix) || line.includes(".."))).toEqual([]);
});

test.each(["Authorization", "Impersonate-User", "x-remote-group", "Host", "bad name"])(
  "the header %s is never sent",
  async (name) => {
    const { answer, lines } = await get(text(200, "ok"), {}, [
      { name, value: "x", isSecret: false },
    ]);
    expect([answer.type, lines]).toEqual(["unanswered", []]);
  },
);
