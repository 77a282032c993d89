import type { Deployment } from "../model/deployment.ts";
import type { Plan } from "../model/plan.ts";
import { compileWanted } from "./compile-wanted.ts";
import { planWanted } from "./plan-wanted.ts";
import { recallRelease } from "./recall-release.ts";
import type { DeployOptions } from "./under-lock.ts";
import type { World } from "./world.ts";

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
  const wanted =
    "inline" in what
      ? await compileWanted(world, deployment, what.inline)
      : await recallRelease(world, await world.target(deployment), deployment, what.release);
  const target = await world.target(deployment);
  const { plan } = await planWanted(world, { target, deployment, options }, wanted, "all");
  return plan;
}
