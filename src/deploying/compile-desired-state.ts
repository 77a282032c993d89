import type { Deployment, EnvironmentDeployment } from "../model/deployments/deployment.ts";
import { type JsonObject, textAt } from "../model/json.ts";
import { UserError } from "../model/problems/errors.ts";
import type { Problem } from "../model/problems/problem.ts";
import {
  type ForeignResource,
  type Manifest,
  type Resource,
  unrenderedCharts,
} from "../model/sources/compilation.ts";
import { listPulumiFunctions } from "../model/text/reference-text.ts";
import { functionProblem } from "../plan/declared/references.ts";
import type { DesiredState } from "../planning/desired-state.ts";
import type { World } from "../ports/world.ts";
import type { CapabilitySource } from "../sources/charts/capabilities.ts";
import { type CompiledDeployment, compileDeployment } from "../sources/compile-deployment.ts";

/**
 * Compiles the desired state of a config, whose charts see the version and the APIs of `cluster`.
 * Throws a UserError if it doesn't compile, or if qvs can't deploy some of its resources.
 */
export async function compileDesiredState(
  world: World,
  deployment: Deployment,
  inline: readonly string[],
  cluster?: CapabilitySource,
): Promise<DesiredState> {
  const { source } = world;
  const compiled = await compileDeployment(source, deployment, inline, "deploy", {}, cluster);
  if (!compiled.ok) throw new UserError(compiled.problems);
  const desired = toDesiredState(compiled.value, deployment);
  const problems = [
    ...desired.unsupported,
    ...ownNamespaceProblems(compiled.value, deployment.environmentOf),
  ];
  if (problems.length > 0) throw new UserError(problems);
  return desired;
}

/** Reports the Namespace of an environment in its config. Only the entry decides about it. */
function ownNamespaceProblems(
  { compilation }: CompiledDeployment,
  environmentOf: EnvironmentDeployment | undefined,
): readonly Problem[] {
  const name = environmentOf?.recorded.namespace;
  return compilation.resources
    .filter((resource) => resource.type === "manifest")
    .filter(({ object }) => name !== undefined && isNamespaceCalled(object, name))
    .map(({ where }) => ({
      code: "environment-outside-namespace",
      what: `The config declares Namespace ${name}`,
      why: "qvs creates the namespace of an environment itself, with the labels in preview.labels",
      fix: "Leave it out with a parameter that preview.params sets",
      where: where === undefined ? [] : [where],
    }));
}

function isNamespaceCalled(object: JsonObject, name: string): boolean {
  const isNamespace =
    textAt(object, "kind") === "Namespace" && textAt(object, "apiVersion") === "v1";
  return isNamespace && textAt(object, "metadata", "name") === name;
}

/** Returns the desired state of a compilation. An environment also has its namespace. */
export function toDesiredState(
  { compilation, input, checks, capabilities, unanswered, deletionHooks }: CompiledDeployment,
  { environmentOf }: Pick<Deployment, "environmentOf">,
): DesiredState {
  const { resources, layout, hides, warnings, irreproducible } = compilation;
  const manifests = resources.filter((resource) => resource.type === "manifest");
  const unrendered = unrenderedCharts(resources);
  return {
    manifests:
      environmentOf === undefined ? manifests : [environmentNamespace(environmentOf), ...manifests],
    unsupported: [...unsupportedResources(resources), ...unanswered],
    ...(unrendered.length === 0 ? {} : { unrendered }),
    input,
    // The config of a pull request must not start Jobs next to the releases.
    checks: environmentOf === undefined ? checks : [],
    layout,
    ...(deletionHooks.length === 0 ? {} : { deletionHooks }),
    hides,
    warnings,
    ...(irreproducible === undefined ? {} : { irreproducible }),
    ...(capabilities.length === 0 ? {} : { capabilities }),
    rollbackOf: undefined,
  };
}

/** Returns the namespace of an environment, whose labels only the entry decides. */
function environmentNamespace({ recorded, labels }: EnvironmentDeployment): Manifest {
  return {
    type: "manifest",
    stage: "appSetup",
    id: "environment-namespace",
    object: {
      apiVersion: "v1",
      kind: "Namespace",
      metadata: { name: recorded.namespace, labels },
    },
    dependsOn: [],
  };
}

/**
 * Lists the resources that a deployment would leave out, and the functions that only Pulumi can
 * call.
 */
export function unsupportedResources(resources: readonly Resource[]): readonly Problem[] {
  const functions = resources.flatMap((each) =>
    each.type === "manifest" && each.pulumi === true
      ? listPulumiFunctions(each.object).map((name) => functionProblem(each, name))
      : [],
  );
  return [...unsupportedProviders(resources), ...functions];
}

/**
 * Lists the resources that a deployment would leave out without a message
 * (docs/reference/adapters.md#providers).
 * Pulumi resources are allowed, because qvs writes them to Pulumi.yaml. Kubernetes objects that
 * need a value of such a resource can't be created.
 */
function unsupportedProviders(resources: readonly Resource[]): readonly Problem[] {
  return resources.flatMap((resource): readonly Problem[] => {
    if (resource.type !== "foreign" || resource.provider === "pulumi-yaml") return [];
    const { problems = [] } = resource;
    return problems.length > 0 ? problems : [providerProblem(resource)];
  });
}

function providerProblem({ stage, id, provider }: ForeignResource): Problem {
  return {
    code: "unsupported-provider",
    where: [],
    what: `Resource ${stage}/${id}: qvs can't deploy provider "${provider}"`,
    why: "qvs shows resources of this provider, but doesn't deploy them",
    fix: "Remove the resource from this deployment and deploy it with its own tool",
  };
}
