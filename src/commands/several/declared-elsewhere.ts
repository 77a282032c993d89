import { transitiveDependencies } from "../../config/deployment-levels.ts";
import { chartCapabilities, openOnce } from "../../deploying/chart-capabilities.ts";
import { type Deployment, objectNamespace } from "../../model/deployments/deployment.ts";
import type { OtherDeclarations } from "../../model/deployments/other-deployments.ts";
import { type JsonObject, textAt } from "../../model/json.ts";
import { catchProblems } from "../../model/problems/errors.ts";
import type { World } from "../../ports/world.ts";
import { compileDeployment } from "../../sources/compile-deployment.ts";
import type { CompilePurpose } from "../../sources/evaluate-deployment.ts";

interface RunTogether {
  /** All deployments in the list, whose dependencies count. */
  readonly all: readonly Deployment[];
  /** Returns the deployments of the run. */
  readonly listTogether: () => Promise<readonly Deployment[]>;
  readonly inline: readonly string[];
  readonly purpose: CompilePurpose;
}

/**
 * Returns the lookup of objects that a run deploys or previews as part of another deployment. A
 * deployment keeps an object that moves there (docs/reference/deployment.md#objects-that-move).
 * The deployments of the run are compiled only if one of them no longer declares an object, and
 * each of them once. A deployment that depends on this one doesn't count: it runs later and creates
 * the object again, and its preview shows that.
 */
export function createDeclaredElsewhere(
  world: World,
  { all, listTogether, inline, purpose }: RunTogether,
): NonNullable<World["declaredElsewhere"]> {
  let together: Promise<readonly Deployment[]> | undefined;
  const compiled = new Map<string, Promise<OtherDeclarations>>();
  const declarationsOf = (other: Deployment) => {
    const known = compiled.get(other.name) ?? compileDeclarations(world, other, inline, purpose);
    compiled.set(other.name, known);
    return known;
  };
  const dependencies = transitiveDependencies(all);
  return async (deployment) => {
    together ??= listTogether();
    const others = (await together)
      .filter((other) => isNeighbor(other, deployment))
      .filter(({ name }) => dependencies.get(name)?.includes(deployment.name) !== true);
    return Promise.all(others.map(declarationsOf));
  };
}

/**
 * Reports whether another deployment has the same cluster, as far as the list shows. A deployment
 * of another environment might need parameters that this run doesn't have.
 */
function isNeighbor(other: Deployment, { name, environment, context }: Deployment): boolean {
  return other.name !== name && other.environment === environment && other.context === context;
}

async function compileDeclarations(
  world: World,
  deployment: Deployment,
  inline: readonly string[],
  purpose: CompilePurpose,
): Promise<OtherDeclarations> {
  const open = openOnce(world, deployment);
  const capabilities = chartCapabilities(world, deployment, open);
  const compiled = await catchProblems(() =>
    compileDeployment(world.source, deployment, inline, purpose, {}, capabilities),
  );
  const about = { deployment: deployment.name, namespace: objectNamespace(deployment) };
  if (!compiled.ok || !compiled.value.ok) return { ...about, objects: undefined };
  const { resources } = compiled.value.value.compilation;
  const manifests = resources.filter((resource) => resource.type === "manifest");
  return { ...about, objects: manifests.map(({ object }) => identityOf(object)) };
}

/** Returns the part of an object that names it. The rest would fill the memory of a large run. */
function identityOf(object: JsonObject): JsonObject {
  const fields = ["name", "namespace"].flatMap((field) => {
    const value = textAt(object, "metadata", field);
    return value === undefined ? [] : [[field, value] as const];
  });
  const { apiVersion = "", kind = "" } = object;
  return { apiVersion, kind, metadata: Object.fromEntries(fields) };
}
