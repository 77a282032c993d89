import { expect, test } from "vitest";
import { contextUnderLock } from "../../../src/deploying/create-planning-context.ts";
import { defaultRequest } from "../../../src/model/deployments/deploy-request.ts";

const world = {
  ...{ origin: { commit: "c0ffee", actor: undefined, run: undefined }, source: {} },
  clock: { now: () => new Date(0) },
} as never;

async function dryRunsOf(require?: "reversible") {
  const deployment = { name: "shop", namespace: "shop", config: "qvs.yaml", require };
  const context = { lock: { cluster: {} }, deployment, request: defaultRequest };
  return (await contextUnderLock(world, context as never)).dryRuns;
}

test("a deployment sends all dry runs if its preview decides about its rollback", async () => {
  expect(await dryRunsOf()).toBe("needed");
  expect(await dryRunsOf("reversible")).toBe("all");
});
