import { expect, test } from "vitest";
import type { ApiFailure } from "../../../src/model/cluster/api-failure.ts";
import { undiscovered } from "../../../src/model/cluster/undiscovered.ts";

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
    "Cannot read whether it serves Thing of metrics.example/v1beta1 at https://cluster.example: HTTP 503: service unavailable",
    "Check the API server that serves it: `kubectl describe apiservice v1beta1.metrics.example` says what is wrong with it; then run again",
  ],
  [
    "apps/v1",
    unavailable,
    "Cannot read whether it serves Thing of apps/v1 at https://cluster.example: HTTP 503: service unavailable",
    "Run again; if it fails again, ask the administrators of the cluster",
  ],
  [
    "metrics.example/v1beta1",
    unreachable,
    "Cannot read which kinds it serves: No answer",
    "Check that the cluster runs, and the server's address in the kubeconfig",
  ],
])("a kind of %s that nobody can tell anything of: %j", (apiVersion, failure, what, fix) => {
  const problem = undiscovered(cluster, { apiVersion, kind: "Thing" }, { ...failure, causes: [] });
  expect({ what: problem.what, fix: problem.fix }).toEqual({ what, fix });
});
