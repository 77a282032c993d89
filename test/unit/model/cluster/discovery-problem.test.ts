import { expect, test } from "vitest";
import type { ApiFailure } from "../../../../src/model/cluster/api-failure.ts";
import { discoveryProblem } from "../../../../src/model/cluster/discovery-problem.ts";

const cluster = { server: "https://cluster.example" };
const unavailable = {
  reason: "other",
  status: 503,
  message: "HTTP 503: service unavailable",
} as const;
const unreachable = { reason: "unreachable", status: 0, message: "No answer" } as const;

test.each<[string, Omit<ApiFailure, "causes">, string, string]>([
  [
    "metrics.example/v1beta1",
    unavailable,
    "qvs can't find out whether the API server serves Thing of metrics.example/v1beta1: https://cluster.example: HTTP 503: service unavailable",
    "Run `kubectl describe apiservice v1beta1.metrics.example` to find the fault of its API server, then run again",
  ],
  [
    "apps/v1",
    unavailable,
    "qvs can't find out whether the API server serves Thing of apps/v1: https://cluster.example: HTTP 503: service unavailable",
    "Run again. If it fails again, ask a cluster administrator",
  ],
  [
    "metrics.example/v1beta1",
    unreachable,
    "qvs can't read the kinds that the API server serves: No answer",
    "Check that the cluster is running and that the kubeconfig has the correct server address",
  ],
])("a kind of %s with unknown discovery: %j", (apiVersion, failure, what, fix) => {
  const problem = discoveryProblem(
    cluster,
    { apiVersion, kind: "Thing" },
    { ...failure, causes: [] },
  );
  const evidence = [problem.why ?? [], (problem.facts ?? []).map(({ value }) => value)].flat();
  const text = [problem.what, ...evidence].join(": ");
  expect({ what: text, fix: problem.fix }).toEqual({ what, fix });
});
