import type { ForeignResource, Resource } from "../../model/compilation.ts";
import type { Problem } from "../../model/problems/problem.ts";
import { listPulumiFunctions } from "../../model/text/reference-text.ts";
import { functionProblem } from "../../plan/declared/references.ts";

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
