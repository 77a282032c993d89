import type { Deployment } from "../model/deployment.ts";
import { UserError } from "../model/problems/errors.ts";
import { unsupportedResources } from "../planning/checks/unsupported-resources.ts";
import type { DesiredState } from "../planning/desired-state.ts";
import type { World } from "../ports/world.ts";
import { type CompiledDeployment, compileDeployment } from "../sources/compile-deployment.ts";

/** What a configuration wants to be there. Throws a UserError where it does not compile, or where some of it can't be deployed by us. */
export async function compileDesiredState(
  world: World,
  deployment: Deployment,
  inline: readonly string[],
): Promise<DesiredState> {
  const compiled = await compileDeployment(world.source, deployment, inline, "deploy");
  if (!compiled.ok) throw new UserError(compiled.problems);
  const desired = desiredStateOf(compiled.value);
  // It is known without a cluster, so none is asked.
  if (desired.unsupported.length > 0) throw new UserError(desired.unsupported);
  return desired;
}

export function desiredStateOf({ compilation, input }: CompiledDeployment): DesiredState {
  const { resources, layout, hides, warnings } = compilation;
  return {
    manifests: resources.filter((resource) => resource.type === "manifest"),
    unsupported: unsupportedResources(resources),
    input,
    layout,
    hides,
    warnings,
    rollbackOf: undefined,
  };
}
