import { expect, test } from "vitest";
import { storm } from "./reconcile-storm.ts";

test("an API server that restarts twice, under two replicas and a stream of edits, leaves no drift", async () => {
  const told = await storm({
    replicas: ["one", "two"],
    deployments: 5,
    objects: 6,
    restarts: ["SIGTERM", "SIGKILL"],
  });
  console.log(told.join("\n"));
  expect(told).toHaveLength(2);
});
