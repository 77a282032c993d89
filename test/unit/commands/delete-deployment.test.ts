import { expect, test } from "vitest";
import { deleteDeployment } from "../../../src/commands/delete-deployment.ts";
import { defaultRequest } from "../../../src/model/deployments/deploy-request.ts";
import type { Deployment } from "../../../src/model/deployments/deployment.ts";
import type { World } from "../../../src/ports/world.ts";
import { fakeCluster } from "../../support/fake-cluster.ts";

test("qvs never deletes an unreadable record, because its objects would be forgotten", async () => {
  const cluster = fakeCluster([
    {
      apiVersion: "v1",
      kind: "Secret",
      type: "vs.axis-dev.io/release.v1",
      metadata: {
        name: "qvs.shop.v1",
        namespace: "shop",
        labels: { "vs.axis-dev.io/deployment": "shop", "vs.axis-dev.io/revision": "1" },
      },
      data: { parts: btoa("0"), content: btoa("damaged"), state: btoa("damaged") },
    },
  ]);
  const target = { cluster, lock: () => Promise.reject(new Error("there is no lock to take")) };
  const decompress = () => {
    throw new Error("this is damaged");
  };
  const world = { target: async () => target, decompress } as unknown as World;
  const deployment = { name: "shop", namespace: "shop" } as Deployment;
  await expect(deleteDeployment(world, deployment, defaultRequest)).rejects.toThrow(
    "Release qvs.shop.v1 can't be read",
  );
  expect(cluster.writes).toEqual([]);
});
