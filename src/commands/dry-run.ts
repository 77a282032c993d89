import type { Deployment } from "../model/deployment.ts";
import type { DesiredState } from "../planning/desired-state.ts";
import type { Target, World } from "../ports/world.ts";
import type { ReleaseChoice } from "../releases/select.ts";
import { compileDesiredState } from "../runs/compile-desired-state.ts";
import { loadRelease } from "../runs/load-release.ts";
import { nothingDesired } from "../runs/nothing-desired.ts";
import { type DryRunPlan, dryRunWithoutLock } from "../runs/plan-without-lock.ts";
import type { DeployOptions } from "../runs/with-lock.ts";

/** What is dry-run: a deployment of the config with inline params, or of a recorded release, or its deletion. */
export type DryRunSubject =
  | { readonly inline: readonly string[] }
  | { readonly release: ReleaseChoice }
  | "deletion";

/**
 * The plan that a deployment or a rollback would execute now, with every dry-run that a preview makes, and what would
 * keep it from being executed. It takes no lock and writes nothing. Throws a UserError if no plan can be made.
 */
export async function dryRunDeployment(
  world: World,
  deployment: Deployment,
  what: DryRunSubject,
  options: DeployOptions,
): Promise<DryRunPlan> {
  const { target, desired } = await prepare(world, deployment, what);
  return dryRunWithoutLock(world, { target, deployment, options }, desired);
}

async function prepare(
  world: World,
  deployment: Deployment,
  what: DryRunSubject,
): Promise<{ readonly target: Target; readonly desired: DesiredState }> {
  if (what === "deletion") {
    return { desired: nothingDesired, target: await world.target(deployment) };
  }
  if ("inline" in what) {
    // Errors of the configuration are reported before a cluster is accessed.
    const desired = await compileDesiredState(world, deployment, what.inline);
    return { desired, target: await world.target(deployment) };
  }
  const target = await world.target(deployment);
  return { target, desired: await loadRelease(world, target, deployment, what.release) };
}
