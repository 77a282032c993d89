import { chartCapabilities, openOnce } from "../deploying/chart-capabilities.ts";
import { compileDesiredState } from "../deploying/compile-desired-state.ts";
import { loadRelease } from "../deploying/load-release.ts";
import { type DryRunPlan, dryRunWithoutLock } from "../deploying/plan-without-lock.ts";
import type { DeployRequest } from "../model/deployments/deploy-request.ts";
import type { Deployment } from "../model/deployments/deployment.ts";
import type { DesiredState } from "../planning/desired-state.ts";
import { emptyDesiredState } from "../planning/desired-state.ts";
import type { TargetCluster, World } from "../ports/world.ts";
import type { ReleaseChoice } from "../releases/select.ts";

/**
 * The operation to simulate: a deployment of the config with inline parameters, a rollback, or a
 * deletion.
 */
export type DryRunSubject =
  | { readonly inline: readonly string[] }
  | { readonly release: ReleaseChoice }
  | "deletion";

/**
 * Returns the plan that a run would execute now, with all dry runs of a preview, and the reasons
 * that block it.
 * It takes no lock and writes nothing. Throws a UserError if no plan can be made.
 */
export async function dryRunDeployment(
  world: World,
  deployment: Deployment,
  what: DryRunSubject,
  request: DeployRequest,
): Promise<DryRunPlan> {
  const { target, desired } = await prepare(world, deployment, what, request);
  return dryRunWithoutLock(world, { target, deployment, request }, desired);
}

async function prepare(
  world: World,
  deployment: Deployment,
  what: DryRunSubject,
  request: DeployRequest,
): Promise<{ readonly target: TargetCluster; readonly desired: DesiredState }> {
  if (what === "deletion") {
    return { desired: emptyDesiredState, target: await world.target(deployment) };
  }
  if ("inline" in what) {
    // Errors of the config are reported before qvs accesses the cluster.
    const open = openOnce(world, deployment);
    const capabilities = chartCapabilities(world, deployment, open, { request });
    const desired = await compileDesiredState(world, deployment, what.inline, capabilities);
    return { desired, target: await open() };
  }
  const target = await world.target(deployment);
  return { target, desired: await loadRelease(world, target, deployment, what.release) };
}
