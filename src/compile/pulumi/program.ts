import { isCustomGroup } from "../../model/cluster/api/built-in-groups.ts";
import { isList, isObject, type Json, type JsonObject, textAt } from "../../model/json.ts";
import { referencePieces, resolveReference } from "../../model/text/reference-text.ts";

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
  return programGroups.includes(group) || (!isCustomGroup(group) && /(?:Patch|List)$/.test(kind));
}

/**
 * Returns one valid `Pulumi.yaml` with all resources that Pulumi would own; undefined if there are
 * none (docs/reference/adapters.md#providers).
 * References stay as written, except that a reference within a group gets the name of the group,
 * like the resources there.
 */
export function pulumiProgram(
  name: string,
  resources: ReadonlyMap<string, JsonObject>,
): JsonObject | undefined {
  if (resources.size === 0) return undefined;
  const ids = [...resources.keys()];
  const entries = [...resources].map(([id, resource]) => {
    const { provider: _provider, output: _output, ...rest } = resource;
    return [id, id.includes("/") ? withFullIds(rest, id, ids) : rest];
  });
  return { name, runtime: "yaml", resources: Object.fromEntries(entries) };
}

function withFullIds(value: Json, from: string, ids: readonly string[]): Json {
  if (typeof value === "string") return withFullIdsInText(value, from, ids);
  if (isList(value)) return value.map((item) => withFullIds(item, from, ids));
  if (!isObject(value)) return value;
  const fields = Object.entries(value);
  return Object.fromEntries(fields.map(([name, field]) => [name, withFullIds(field, from, ids)]));
}

function withFullIdsInText(text: string, from: string, ids: readonly string[]): string {
  const pieces = referencePieces(text, true).map((piece) => {
    // Pulumi reads this string again, so a literal dollar sign must be doubled again.
    if (piece.type === "text") return piece.text === "$" ? "$$" : piece.text;
    const found = resolveReference(piece.inner, from, ids);
    if (found === undefined) return piece.written;
    return `\${${quoteRoot(found.id)}${found.path}}`;
  });
  return pieces.join("");
}

/**
 * Returns the first part of a reference. Pulumi ends a plain name at the first dot or bracket, so
 * other names are quoted.
 */
function quoteRoot(id: string): string {
  return /[.[\]}"]/.test(id) ? `["${id.replaceAll('"', '\\"')}"]` : id;
}
