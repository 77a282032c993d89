import { type JsonObject, textAt } from "./json.ts";
import { groupOf, type KubeObject } from "./object.ts";

const dnsSubdomain = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const dnsLabel = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;

/** What is wrong with an object's name, or undefined. */
export function wrongName(object: KubeObject): string | undefined {
  const name = object.metadata.name;
  if (typeof name !== "string" || name === "") return "has no metadata.name";
  if (name.length > 253) return `has a name of ${name.length} characters, 253 are allowed`;
  if (isRelaxed(groupOf(object.apiVersion))) {
    return isPathSegment(name) ? undefined : `has the name "${name}", which can't be part of a URL`;
  }
  return dnsSubdomain.test(name)
    ? undefined
    : `has the name "${name}", which isn't lower-case letters, digits, "-" and "." as Kubernetes demands`;
}

/** What is wrong with a namespace that an object names, or undefined. */
export function wrongNamespace(metadata: JsonObject): string | undefined {
  const namespace = textAt(metadata, "namespace");
  if (namespace === undefined || (namespace.length <= 63 && dnsLabel.test(namespace))) {
    return undefined;
  }
  return `names the namespace "${namespace}", which isn't a DNS label`;
}

/**
 * RBAC names are path segments (`system:node`), and an aggregated API server may allow the same for kinds of its own.
 * The server's own answer is better than a refusal of ours that nobody can get around.
 */
function isRelaxed(group: string): boolean {
  const builtIn = !group.includes(".") || group.endsWith(".k8s.io");
  return !builtIn || group === "rbac.authorization.k8s.io";
}

function isPathSegment(name: string): boolean {
  return name !== "." && name !== ".." && !/[/%]/.test(name);
}
