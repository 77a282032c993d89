import { expect, test } from "vitest";
import { awaitHealthy } from "../../../../src/commands/queries/status.ts";
import type { LocatedDeployment } from "../../../../src/deploying/queries/locate-deployment.ts";
import type { DeploymentState } from "../../../../src/model/deployments/deployment-state.ts";
import type { DeployEvent } from "../../../../src/model/deployments/event.ts";
import type { World } from "../../../../src/ports/world.ts";
import { fakeCluster } from "../../../support/fake-cluster.ts";
import { virtualClock } from "../../../support/virtual-clock.ts";

const live = {
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "web", namespace: "shop", uid: "uid", generation: 1 },
  spec: { replicas: 1 },
};

test("cancellation of the wait isn't reported as failed objects", async () => {
  const events: DeployEvent[] = [];
  const stop = new AbortController();
  const world = {
    clock: virtualClock(),
    signal: stop.signal,
    progress: () => ({
      report: (event: DeployEvent) => {
        events.push(event);
        if (event.type === "waiting") stop.abort();
      },
    }),
  } as unknown as World;
  const located = { target: { cluster: fakeCluster([live]) }, deployment: { name: "shop" } };
  const state = { instances: [{ key: "apps:Deployment::shop/web", live, isHealthy: false }] };
  const waited = awaitHealthy(
    world,
    located as unknown as LocatedDeployment,
    state as unknown as DeploymentState,
    { timeoutMs: 60_000, hides: [] },
  );
  await expect(waited).rejects.toMatchObject({ name: "AbortError" });
  expect(events.map(({ type }) => type)).toEqual(["preparing", "waiting"]);
});
