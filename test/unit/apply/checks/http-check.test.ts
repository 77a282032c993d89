import { expect, test } from "vitest";
import { compareAnswer, excerptBody } from "../../../../src/apply/checks/http-check.ts";
import type { HttpCheck } from "../../../../src/model/deployments/deployment-checks.ts";
import type { ProbeAnswer } from "../../../../src/ports/probe.ts";

const check: HttpCheck = {
  ...{ type: "http", name: "web", headers: [], status: [] },
  target: { type: "address", url: "http://a.example" },
  ...{ intervalMs: 1000, holdMs: 0, timeoutMs: 60_000 },
};
const answer = (status: number, body = "ok", latencyMs = 12): ProbeAnswer => ({
  ...{ type: "answered", status, body, isCut: false, latencyMs },
});

test.each<[string, Partial<HttpCheck>, ProbeAnswer, string | undefined]>([
  ["any status of success", {}, answer(204), undefined],
  ["a redirect", {}, answer(302), "status 302 instead of 200 to 299"],
  ["an accepted status", { status: [401, 403] }, answer(403), undefined],
  ["another status", { status: [401, 403] }, answer(200), "status 200 instead of 401 or 403"],
  ["a body with the text", { contains: "k" }, answer(200), undefined],
  ["a body without it", { contains: "fine" }, answer(200), "the body lacks the expected text"],
  ["a body that matches", { matches: "^o.$" }, answer(200), undefined],
  ["a body that doesn't", { matches: "^k" }, answer(200), "the body doesn't match the expression"],
  ["a fast answer", { maxLatencyMs: 12 }, answer(200), undefined],
  ["a slow answer", { maxLatencyMs: 11 }, answer(200), "latency 12 ms instead of at most 11 ms"],
  ["no answer", { status: [200] }, { type: "unanswered", why: "ECONNREFUSED" }, "no answer"],
])("%s", (_, expectation, received, unmet) => {
  expect(compareAnswer({ ...check, ...expectation }, received).unmet).toBe(unmet);
});

test.each([
  ['{"password": "x", "state": "down"}', '{"password":"(hidden)","state":"down"}'],
  ['{"a": {"apiToken": ["x"]}}', '{"a":{"apiToken":"(hidden)"}}'],
  ['{"password": "hunter2", "sta', '{"password": (hidden), "sta'],
  ["state=down&password=hunter2&x=1", "state=down&password=(hidden)&x=1"],
  ["ghp_0123456789abcdefghijABCDEFGHIJ012345 is wrong", "(hidden) is wrong"],
  ["can't connect to postgres://shop:hunter2@db:5432/shop", "can't connect to (hidden)"],
  ['{"error": "dial amqp://shop:hunter2@mq: refused"}', '{"error":"dial (hidden) refused"}'],
  ['{"error": "DB_PASSWORD: hunter2"}', '{"error":"DB_PASSWORD: (hidden)"}'],
  [
    '{"env": [{"name": "DB_PASSWORD", "value": "hunter2"}]}',
    '{"env":[{"name":"DB_PASSWORD","value":"(hidden)"}]}',
  ],
  [
    '[{"name": "DB_PASSWORD", "value": "hunter2"}, {"na',
    '[{"name": "DB_PASSWORD", "value": "(hidden)"}, {"na',
  ],
  ["authorization: Bearer 0123456789ab", "authorization: (hidden)"],
  ["sent 'Bearer 0123456789ab'", "sent 'Bearer (hidden)'"],
  ["-----BEGIN RSA PRIVATE KEY-----\nMIIE", "(hidden)"],
  ["a\n\n  b", "a b"],
])("the excerpt of %s hides what can be a credential", (body, expected) => {
  expect(excerptBody(body, false)).toBe(expected);
});

test("the excerpt is short", () => {
  expect(excerptBody("word ".repeat(500), false).length).toBeLessThanOrEqual(200);
});

test("shows a deeply nested body without walking it", () => {
  const nested = `${"[".repeat(30_000)}${"]".repeat(30_000)}`;
  expect(excerptBody(nested, false)).toMatch(/^\[{50}/);
});
