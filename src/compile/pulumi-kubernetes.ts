import { isObject, type JsonObject, textAt } from "../model/json.ts";

/**
 * The Kubernetes object behind a `pulumi-yaml` resource (spec §2), or undefined for Pulumi's own types:
 * `kubernetes:apps/v1:Deployment`, `kubernetes:core/v1:Service` (the core group has no name), and
 * `kubernetes:apiextensions.k8s.io:CustomResource`, whose properties say apiVersion and kind. Helm releases and
 * yaml bundles look alike but are programs of Pulumi's provider, not objects.
 */
export function kubernetesObject(resource: JsonObject): JsonObject | undefined {
  const type = textAt(resource, "type") ?? "";
  const properties = isObject(resource["properties"]) ? resource["properties"] : {};
  if (type === "kubernetes:apiextensions.k8s.io:CustomResource") return properties;
  const parts = /^kubernetes:([a-z0-9.-]+)\/(v\d+(?:(?:alpha|beta)\d+)?):([A-Z]\w*)$/.exec(type);
  if (parts === null) return undefined;
  const [, group = "", version = "", kind = ""] = parts;
  if (group === "helm.sh") return undefined;
  return { ...properties, apiVersion: group === "core" ? version : `${group}/${version}`, kind };
}
