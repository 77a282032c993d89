import { UserError } from "../errors.ts";
import type { Deployment } from "../model/deployment.ts";
import { compileDeployment } from "./compile-deployment.ts";
import type { Wanted } from "./plan-wanted.ts";
import { refuseForeign } from "./refuse-foreign.ts";
import type { World } from "./world.ts";

/** What a configuration wants to be there. Throws a UserError where it does not compile or can't be deployed by us. */
export async function compileWanted(
  world: World,
  deployment: Deployment,
  inline: readonly string[],
): Promise<Wanted> {
  const compiled = await compileDeployment(world.source, deployment, inline, "deploy");
  if (!compiled.ok) throw new UserError(compiled.problems);
  const { compilation, input } = compiled.value;
  const refused = refuseForeign(compilation.resources);
  if (refused.length > 0) throw new UserError(refused);
  const manifests = compilation.resources.filter((resource) => resource.type === "manifest");
  return { manifests, input, layout: compilation.layout, rollbackOf: undefined };
}
