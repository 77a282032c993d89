import type { Deployment } from "../model/deployment.ts";
import type { Plan } from "../model/plan.ts";
import { compileWanted } from "./compile-wanted.ts";
import { planWanted, type Wanted } from "./plan-wanted.ts";
import { recallRelease } from "./recall-release.ts";
import type { DeployOptions } from "./under-lock.ts";
import type { Target, World } from "./world.ts";

/** What is rehearsed: a deployment of what the config says, with inline params, or of a recorded release. */
export type Rehearsed =
  | { readonly inline: readonly string[] }
  | { readonly release: number | "previous" };

/**
 * The plan that a deployment or a rollback would carry out now, with every dry-run that a preview makes. It takes no lock and
 * writes nothing. Throws a UserError with what would keep it from beginning.
 */
export async function rehearse(
  world: World,
  deployment: Deployment,
  what: Rehearsed,
  options: DeployOptions,
): Promise<Plan> {
  const { target, wanted } = await prepare(world, deployment, what);
  const { plan } = await planWanted(
    world,
    { cluster: target.cluster, deployment, options },
    wanted,
    "all",
  );
  return plan;
}

async function prepare(
  world: World,
  deployment: Deployment,
  what: Rehearsed,
): Promise<{ readonly target: Target; readonly wanted: Wanted }> {
  if ("inline" in what) {
    // What is wrong with the configuration is said before a cluster is asked.
    const wanted = await compileWanted(world, deployment, what.inline);
    return { wanted, target: await world.target(deployment) };
  }
  const target = await world.target(deployment);
  return { target, wanted: await recallRelease(world, target, deployment, what.release) };
}
