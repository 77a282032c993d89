import { UserError } from "../errors.ts";
import type { Deployment } from "../model/deployment.ts";
import { manifestsOf, selectRelease } from "../releases/select.ts";
import { carryOut, type DeployOutcome } from "./carry-out.ts";
import { readReleases } from "./release-store.ts";
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
  return underLock(world, request, async (context) => {
    const recorded = await readReleases(context.target.cluster, deployment, world);
    if (!recorded.ok) throw new UserError(recorded.problems);
    const chosen = selectRelease(recorded.value.releases, to);
    if (!chosen.ok) throw new UserError(chosen.problems);
    const { inputConfig, layout, revision } = chosen.value;
    const manifests = manifestsOf(chosen.value);
    const wanted = { manifests, input: inputConfig, layout, rollbackOf: revision };
    return carryOut(world, context, wanted);
  });
}
