import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openProbe } from "../../../../src/io/http/probe.ts";
import { sentSecrets } from "../../../../src/redaction/sent-secrets.ts";

const never = new AbortController().signal;
const limits = { timeoutMs: 2000, bodyBytes: 100 };
const seen: string[] = [];
const server = createServer((request, response) => {
  seen.push(`${request.url} ${request.headers.authorization ?? "-"}`);
  if (request.url === "/slow") return;
  if (request.url === "/moved") response.writeHead(302, { location: "/other" }).end();
  else if (request.url === "/long") response.end("x".repeat(1000));
  else response.end(`you sent ${request.headers.authorization ?? "nothing"}`);
});
let base = "";
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const probe = openProbe({}, sentSecrets());

test("an answer has its status, its body and no redirect is followed", async () => {
  expect(await probe.get(`${base}/a`, [], limits, never)).toEqual({
    ...{ type: "answered", status: 200, body: "you sent nothing", isCut: false },
    latencyMs: expect.any(Number),
  });
  expect(await probe.get(`${base}/moved`, [], limits, never)).toMatchObject({ status: 302 });
  expect(seen).toEqual(["/a -", "/moved -"]);
});

test("a long body is cut", async () => {
  expect(await probe.get(`${base}/long`, [], limits, never)).toMatchObject({
    body: "x".repeat(100),
    isCut: true,
  });
});

test("a secret header is hidden in the answer and in every other output", async () => {
  const sent = sentSecrets();
  const header = { name: "Authorization", value: "Bearer hunter2hunter2", isSecret: true };
  const answer = await openProbe({}, sent).get(`${base}/a`, [header], limits, never);
  expect(answer).toMatchObject({ body: "you sent (hidden)" });
  expect(sent.hide("the token hunter2hunter2")).toBe("the token (hidden)");
});

test.each([
  ["http://169.254.169.254/latest/meta-data", "its address isn't allowed"],
  ["http://metadata.google.internal/", "its address isn't allowed"],
  ["file:///etc/passwd", "its address isn't allowed"],
  ["http://me:word@127.0.0.1/", "its address isn't allowed"],
])("%s is never requested", async (url, why) => {
  expect(await probe.get(url, [], limits, never)).toEqual({ type: "unanswered", why });
});

test("a late answer, an abort and a closed port are no answer", async () => {
  const late = await probe.get(`${base}/slow`, [], { ...limits, timeoutMs: 50 }, never);
  expect(late).toEqual({ type: "unanswered", why: "no answer in time" });
  const aborted = AbortSignal.timeout(50);
  expect(await probe.get(`${base}/slow`, [], limits, aborted)).toMatchObject({
    type: "unanswered",
  });
  const closed = await probe.get("http://127.0.0.1:1/", [], limits, never);
  expect(closed).toEqual({ type: "unanswered", why: expect.stringContaining("ECONNREFUSED") });
});
