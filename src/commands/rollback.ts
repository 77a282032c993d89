import type { Deployment } from "../model/deployment.ts";
import { carryOut, type DeployOutcome } from "./carry-out.ts";
import { recallRelease } from "./recall-release.ts";
import { type DeployOptions, underLock } from "./under-lock.ts";
import type { World } from "./world.ts";

/** A recorded release again, as a new release, under the same ordering and protection rules (spec §5). */
export async function rollback(
  world: World,
  deployment: Deployment,
  to: number | "previous",
  options: DeployOptions,
): Promise<DeployOutcome> {
  const request = { target: world.target(deployment), deployment, options };
  return underLock(world, request, async (context) =>
    carryOut(world, context, await recallRelease(world, context.target, deployment, to)),
  );
}
