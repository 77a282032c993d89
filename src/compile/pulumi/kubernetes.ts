import { isObject, type JsonObject, textAt } from "../../model/json.ts";

/**
 * The Kubernetes object behind a `pulumi-yaml` resource (docs/reference/adapters.md#pulumi-resources), or undefined for
 * what only Pulumi can create: `kubernetes:apps/v1:Deployment`, `kubernetes:core/v1:Service` (the core group has no
 * name), and `kubernetes:apiextensions.k8s.io:CustomResource`, whose properties say apiVersion and kind.
 */
export function kubernetesObject(resource: JsonObject): JsonObject | undefined {
  const type = textAt(resource, "type") ?? "";
  const properties = isObject(resource["properties"]) ? resource["properties"] : {};
  if (type === "kubernetes:apiextensions.k8s.io:CustomResource") return properties;
  const parts = /^kubernetes:([a-z0-9.-]+)\/(v\d+(?:(?:alpha|beta)\d+)?):([A-Z]\w*)$/.exec(type);
  if (parts === null) return undefined;
  const [, group = "", version = "", kind = ""] = parts;
  if (isOfPulumi(group, kind)) return undefined;
  return { ...properties, apiVersion: group === "core" ? version : `${group}/${version}`, kind };
}

/** Groups whose types look like objects but are programs: charts, files of YAML, kustomizations. */
const programs: readonly string[] = ["helm.sh", "yaml", "kustomize"];

/**
 * Of each built-in kind Pulumi also has a `…Patch`, which changes an object of somebody else, and a `…List`, which
 * represents many objects. The server has no such kinds.
 */
function isOfPulumi(group: string, kind: string): boolean {
  const isBuiltIn = !group.includes(".") || group.endsWith(".k8s.io");
  return programs.includes(group) || (isBuiltIn && /(?:Patch|List)$/.test(kind));
}
