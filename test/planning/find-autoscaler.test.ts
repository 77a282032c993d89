import { expect, test } from "vitest";
import type { ApiFailure } from "../../src/model/cluster/api-failure.ts";
import { findAutoscaler } from "../../src/planning/facts/scheduling.ts";
import type { Cluster } from "../../src/ports/kubernetes.ts";
import { fakeCluster, refused } from "../support/fake-cluster.ts";

interface Situation {
  /** Whether Karpenter's kind is served, or why nobody knows. */
  readonly nodePools: "served" | ApiFailure["reason"];
  readonly status: "there" | "absent" | ApiFailure["reason"];
}

const statusMap = {
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: "cluster-autoscaler-status", namespace: "kube-system" },
};

function clusterWith({ nodePools, status }: Situation): Cluster {
  return {
    ...fakeCluster([]),
    async preferredKind(group, kind) {
      if (nodePools !== "served") return refused(nodePools, 404, "no NodePool");
      return {
        ok: true,
        value: { group, version: "v1", kind, plural: "nodepools", namespaced: false },
      };
    },
    async read() {
      if (status === "there") return { ok: true, value: statusMap };
      if (status === "absent") return { ok: true, value: undefined };
      return refused(status, 403, "no ConfigMap");
    },
  };
}

test.each<[string, Situation, string | undefined]>([
  ["neither", { nodePools: "unknown-kind", status: "absent" }, undefined],
  ["Karpenter", { nodePools: "served", status: "absent" }, "Karpenter"],
  [
    "the cluster autoscaler",
    { nodePools: "unknown-kind", status: "there" },
    "The cluster autoscaler",
  ],
  [
    "its status may not be read",
    { nodePools: "unknown-kind", status: "forbidden" },
    "a cluster autoscaler (whether there is one can't be read)",
  ],
  [
    "which kinds there are can't be read",
    { nodePools: "other", status: "absent" },
    "a cluster autoscaler (whether there is one can't be read)",
  ],
])("%s", async (_, situation, expected) => {
  expect(await findAutoscaler(clusterWith(situation))).toBe(expected);
});
