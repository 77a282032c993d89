import { isObject, type JsonObject, textAt } from "../../model/json.ts";

/**
 * Returns the Kubernetes object of a `pulumi-yaml` resource
 * (docs/reference/adapters.md#pulumi-resources), or undefined for a type that only Pulumi can
 * create.
 * Examples are `kubernetes:apps/v1:Deployment` and `kubernetes:core/v1:Service`; the core group has
 * no name. For `kubernetes:apiextensions.k8s.io:CustomResource`, the properties contain apiVersion
 * and kind.
 */
export function kubernetesObject(resource: JsonObject): JsonObject | undefined {
  const type = textAt(resource, "type") ?? "";
  const properties = isObject(resource["properties"]) ? resource["properties"] : {};
  if (type === "kubernetes:apiextensions.k8s.io:CustomResource") return properties;
  const parts = /^kubernetes:([a-z0-9.-]+)\/(v\d+(?:(?:alpha|beta)\d+)?):([A-Z]\w*)$/.exec(type);
  if (parts === null) return undefined;
  const [, group = "", version = "", kind = ""] = parts;
  if (isPulumiOnly(group, kind)) return undefined;
  return { ...properties, apiVersion: group === "core" ? version : `${group}/${version}`, kind };
}

/** Groups whose types look like objects but are programs: charts, YAML files, kustomizations. */
const programGroups: readonly string[] = ["helm.sh", "yaml", "kustomize"];

/**
 * Reports whether only Pulumi has this kind. For each built-in kind, Pulumi also has a `…Patch`,
 * which changes an object that it doesn't manage, and a `…List`, which stands for several objects.
 * The API server has no such kinds.
 */
function isPulumiOnly(group: string, kind: string): boolean {
  const isBuiltIn = !group.includes(".") || group.endsWith(".k8s.io");
  return programGroups.includes(group) || (isBuiltIn && /(?:Patch|List)$/.test(kind));
}
