import { expect, test } from "vitest";
import { storm } from "../../sweeps/reconcile-storm.ts";

/** A small version of test/sweeps/reconcile-restart.sweep.test.ts. */
test("an API server that is killed and restarts under the controller leaves no drift", async () => {
  const one = { replicas: ["one"], deployments: 1, objects: 3, restarts: ["SIGKILL"] } as const;
  expect(await storm(one)).toHaveLength(1);
});
