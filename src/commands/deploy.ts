import type { Deployment } from "../model/deployment.ts";
import { carryOut, type DeployOutcome } from "./carry-out.ts";
import { compileWanted } from "./compile-wanted.ts";
import { type DeployOptions, underLock } from "./under-lock.ts";
import type { Target, World } from "./world.ts";

/** Compile → plan → record → appSetup, app, deletions → record. Throws a UserError when nothing was changed. */
export async function deploy(
  world: World,
  deployment: Deployment,
  inline: readonly string[],
  options: DeployOptions,
): Promise<DeployOutcome> {
  const target = connectEarly(world, deployment);
  world.progress(deployment).report({ type: "preparing", step: "compiling" });
  const wanted = await compileWanted(world, deployment, inline);
  return underLock(world, { target, deployment, options }, (context) =>
    carryOut(world, context, wanted),
  );
}

/**
 * Credentials, TLS and discovery cost nothing while the engine compiles. What goes wrong with them is said when they
 * are needed: the user's configuration comes first.
 */
function connectEarly(world: World, deployment: Deployment): Promise<Target> {
  const target = world.target(deployment);
  target.then(({ cluster }) => cluster.kind("v1", "Secret")).catch(() => {});
  return target;
}
