import type { Resource } from "../../model/compilation.ts";
import type { Problem } from "../../model/problems/problem.ts";

/**
 * Resources that deploying would leave out without a word (docs/reference/adapters.md#providers). Pulumi's own are written to
 * Pulumi.yaml and may be there; Kubernetes objects that need a value of them can't be made.
 */
export function unsupportedProviders(resources: readonly Resource[]): readonly Problem[] {
  const unknown = resources.filter(
    (resource) => resource.type === "foreign" && resource.provider !== "pulumi-yaml",
  );
  return unknown.map((resource) => ({
    code: "unsupported-provider",
    where: [],
    what: `Resource ${resource.stage}/${resource.id} is of provider "${resource.type === "foreign" ? resource.provider : ""}", which is shown but not deployed`,
    fix: "Remove the resource from this deployment and deploy it with its own tool",
  }));
}
