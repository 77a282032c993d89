import type { Deployment } from "../model/deployment.ts";
import { UserError } from "../model/problems/errors.ts";
import { unsupportedResources } from "../planning/checks/unsupported-resources.ts";
import type { DesiredState } from "../planning/desired-state.ts";
import type { World } from "../ports/world.ts";
import { type CompiledDeployment, compileDeployment } from "../sources/compile-deployment.ts";

/**
 * Compiles the desired state of a config. Throws a UserError if it doesn't compile, or if qvs can't
 * deploy some of its resources.
 */
export async function compileDesiredState(
  world: World,
  deployment: Deployment,
  inline: readonly string[],
): Promise<DesiredState> {
  const compiled = await compileDeployment(world.source, deployment, inline, "deploy");
  if (!compiled.ok) throw new UserError(compiled.problems);
  const desired = toDesiredState(compiled.value);
  // This error needs no cluster, so qvs doesn't access one.
  if (desired.unsupported.length > 0) throw new UserError(desired.unsupported);
  return desired;
}

export function toDesiredState({ compilation, input, checks }: CompiledDeployment): DesiredState {
  const { resources, layout, hides, warnings, irreproducible } = compilation;
  return {
    manifests: resources.filter((resource) => resource.type === "manifest"),
    unsupported: unsupportedResources(resources),
    input,
    checks,
    layout,
    hides,
    warnings,
    ...(irreproducible === undefined ? {} : { irreproducible }),
    rollbackOf: undefined,
  };
}
