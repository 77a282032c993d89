import { expect, test } from "vitest";
import { compareValues } from "../../../../src/apply/checks/prometheus-check.ts";
import type { PrometheusCheck } from "../../../../src/model/deployments/deployment-checks.ts";
import type { ProbeAnswer } from "../../../../src/ports/probe.ts";

const check: PrometheusCheck = {
  ...{ type: "prometheus", name: "errors", headers: [], query: "up", max: 0.01 },
  target: { type: "address", url: "http://a.example" },
  ...{ intervalMs: 1000, holdMs: 0, timeoutMs: 60_000 },
};

function vector(...values: readonly string[]): string {
  const result = values.map((value, index) => ({
    metric: { pod: `web-${index}` },
    value: [1, value],
  }));
  return JSON.stringify({ status: "success", data: { resultType: "vector", result } });
}

const scalar = JSON.stringify({
  status: "success",
  data: { resultType: "scalar", result: [1, "0.5"] },
});

function compare(limits: Partial<PrometheusCheck>, body: string, status = 200, isCut = false) {
  const answer: ProbeAnswer = { type: "answered", status, body, isCut, latencyMs: 1 };
  const { unmet, facts } = compareValues({ ...check, ...limits }, answer);
  return [unmet ?? "passed", ...facts.map(({ label, value }) => `${label}: ${value}`)].join("; ");
}

test.each([
  [{}, vector("0.001"), "passed; limit: at most 0.01; value: 0.001 (pod=web-0)"],
  [
    {},
    vector("0.001", "0.2"),
    "0.2 instead of at most 0.01; limit: at most 0.01; value: 0.2 (pod=web-1)",
  ],
  [
    { min: 1, max: 2 },
    scalar,
    "0.5 instead of at least 1 and at most 2; limit: at least 1 and at most 2; value: 0.5",
  ],
  [{}, vector("NaN"), "NaN instead of at most 0.01; limit: at most 0.01; value: NaN (pod=web-0)"],
  [{}, vector("-Inf"), "passed; limit: at most 0.01; value: -Inf (pod=web-0)"],
  [{}, vector(), "the query has no value; limit: at most 0.01"],
])("%j of %s", (limits, body, expected) => {
  expect(compare(limits, body)).toBe(expected);
});

test("an error of Prometheus, or of a server in front of it, is the evidence", () => {
  const error = JSON.stringify({ status: "error", error: "parse error: unexpected end" });
  expect(compare({}, error, 400)).toBe(
    "the query failed; status: 400; error: parse error: unexpected end",
  );
  expect(compare({}, "<html>login</html>")).toBe(
    "the query failed; status: 200; error: <html>login</html>",
  );
  expect(compare({}, vector("0"), 200, true)).toMatch(/^the answer has more than 1 MiB; /);
});
