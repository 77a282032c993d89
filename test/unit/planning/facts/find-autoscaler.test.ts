import { expect, test } from "vitest";
import type { ApiFailure } from "../../../../src/model/cluster/api/api-failure.ts";
import type { KubeObject } from "../../../../src/model/object.ts";
import { findAutoscaler } from "../../../../src/planning/facts/scheduling.ts";
import type { Cluster } from "../../../../src/ports/kubernetes.ts";
import { fakeCluster, refused } from "../../../support/fake-cluster.ts";

interface Situation {
  /**
   * The number of Karpenter's node pools if their kind is served, or the reason why it is unknown.
   */
  readonly nodePools: number | "unlisted" | ApiFailure["reason"];
  readonly status: "there" | "absent" | ApiFailure["reason"];
  /** The image of a running container. */
  readonly image?: string;
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
      if (typeof nodePools === "string" && nodePools !== "unlisted") {
        return refused(nodePools, 404, "no NodePool");
      }
      return {
        ok: true,
        value: {
          group,
          version: "v1",
          kind,
          plural: "nodepools",
          namespaced: false,
          listable: true,
        },
      };
    },
    async list(apiVersion, kind) {
      if (nodePools === "unlisted") return refused("forbidden", 403, "no list");
      expect(`${apiVersion} ${kind}`).toBe("karpenter.sh/v1 NodePool");
      const pool = { apiVersion, kind, metadata: { name: "general" } };
      const items = Array.from({ length: Number(nodePools) }, () => pool);
      return { ok: true, value: { items, resourceVersion: "1" } };
    },
    async read() {
      if (status === "there") return { ok: true, value: statusMap };
      if (status === "absent") return { ok: true, value: undefined };
      return refused(status, 403, "no ConfigMap");
    },
  };
}

function running(image = "web:1"): KubeObject {
  const spec = { containers: [{ name: "one", image }] };
  return { apiVersion: "v1", kind: "Pod", metadata: { name: "one", namespace: "ops" }, spec };
}

const unreadable = "a cluster autoscaler (qvs can't read whether one exists)";

test.each<[string, Situation, string | undefined]>([
  ["neither", { nodePools: "unknown-kind", status: "absent" }, undefined],
  ["Karpenter", { nodePools: 2, status: "absent" }, "Karpenter"],
  ["Karpenter without a pool", { nodePools: 0, status: "absent" }, undefined],
  [
    "Karpenter, whose pools can't be listed",
    { nodePools: "unlisted", status: "absent" },
    "Karpenter (qvs can't read its NodePools)",
  ],
  [
    "the cluster autoscaler",
    { nodePools: "unknown-kind", status: "there" },
    "The cluster autoscaler",
  ],
  [
    "the cluster autoscaler next to Karpenter without a pool",
    { nodePools: 0, status: "there" },
    "The cluster autoscaler",
  ],
  [
    "the cluster autoscaler with its status elsewhere",
    {
      ...{ nodePools: "unknown-kind", status: "absent" },
      image: "example.com/autoscaling/cluster-autoscaler:v1.36.0",
    },
    "The cluster autoscaler",
  ],
  [
    "another autoscaler, which adds no nodes",
    {
      nodePools: "unknown-kind",
      status: "absent",
      image: "example.com/cluster-autoscaler-operator:1",
    },
    undefined,
  ],
  [
    "its status is unreadable, but it runs",
    { nodePools: "unknown-kind", status: "forbidden", image: "cluster-autoscaler@sha256:12" },
    "The cluster autoscaler",
  ],
  ["its status is unreadable", { nodePools: "unknown-kind", status: "forbidden" }, unreadable],
  ["the kinds of the cluster are unreadable", { nodePools: "other", status: "absent" }, unreadable],
])("%s", async (_, situation, expected) => {
  const pods = Promise.resolve({ known: true, value: [running(situation.image)] } as const);
  expect(await findAutoscaler(clusterWith(situation), pods)).toBe(expected);
});
