import { expect, test } from "vitest";
import { findAutoscaler } from "../../../../src/deploying/why/explain-field.ts";
import type { Cluster } from "../../../../src/ports/kubernetes.ts";
import { refused } from "../../../support/fake-cluster.ts";

const web = { apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "web" } };

test("an autoscaler that can't be listed isn't reported as missing", async () => {
  const cluster = {
    list: async () => refused("forbidden", 403, "forbidden"),
  } as unknown as Cluster;
  const found = await findAutoscaler(cluster, web);
  expect(found.ok ? [] : found.problems.map(({ what }) => what)).toEqual([
    expect.stringContaining("list HorizontalPodAutoscalers"),
  ]);
});
