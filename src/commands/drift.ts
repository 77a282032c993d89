import pMap from "p-map";
import { findDrift } from "../deploying/find-drift.ts";
import { type DeployRequest, defaultRequest } from "../model/deployments/deploy-request.ts";
import type { Deployment } from "../model/deployments/deployment.ts";
import type { Drift } from "../model/deployments/drift.ts";
import type { World } from "../ports/world.ts";

/**
 * The request of a correction without flags (docs/reference/drift.md#correction). It restores
 * declared fields even if another field manager wrote them.
 */
export const defaultCorrection: DeployRequest = {
  ...defaultRequest,
  policy: { allowDelete: [], conflicts: { force: true, takeover: [] } },
};

/**
 * The number of simultaneous comparisons. It is enough for many deployments; each has its plan and
 * live objects in memory.
 */
const atOnce = 4;

/**
 * Compares deployments in the cluster with their current releases. It compiles nothing, takes no
 * lock and writes nothing. The request affects only the errors of a correction, and never hides
 * drift.
 */
export async function drift(
  world: World,
  deployments: readonly Deployment[],
  request = defaultCorrection,
): Promise<readonly Drift[]> {
  return pMap(
    deployments,
    async (deployment) => findDrift(world, world.target(deployment), deployment, request, "drift"),
    { concurrency: atOnce, signal: world.signal },
  );
}
