import { isDnsLabel } from "./cluster/dns-label.ts";
import { isDnsSubdomain } from "./cluster/label-syntax.ts";
import { at, isObject, type Json, type JsonObject, textAt } from "./json.ts";

/** A Kubernetes object as sent or as read. `metadata.name` is present in every object of a plan. */
export interface KubeObject extends JsonObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: JsonObject;
}

/** What an object is, whatever version it is written in: an apiVersion change is the same object. */
export interface ObjectId {
  /** API group; empty for the core group. */
  readonly group: string;
  readonly kind: string;
  /** Empty for cluster-scoped objects. */
  readonly namespace: string;
  readonly name: string;
}

/** An address of one object: namespace is ignored for cluster-scoped kinds. */
export interface ObjectAddress {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}

export function groupOf(apiVersion: string): string {
  const slash = apiVersion.indexOf("/");
  return slash < 0 ? "" : apiVersion.slice(0, slash);
}

export function apiVersionOf({
  group,
  version,
}: {
  readonly group: string;
  readonly version: string;
}): string {
  return group === "" ? version : `${group}/${version}`;
}

export function idOf(object: KubeObject): ObjectId {
  return {
    group: groupOf(object.apiVersion),
    kind: object.kind,
    namespace: textAt(object, "metadata", "namespace") ?? "",
    name: textAt(object, "metadata", "name") ?? "",
  };
}

/** What the API server finds an object by. */
export function addressOf(object: KubeObject): ObjectAddress {
  const { group: _group, ...place } = idOf(object);
  return { apiVersion: object.apiVersion, ...place };
}

/** A unique text for an object, in the form of `vs.axis-dev.io/dependsOn`: `apps:Deployment::shop/web`. */
export function keyOf(id: ObjectId): string {
  const place = id.namespace === "" ? id.name : `${id.namespace}/${id.name}`;
  return `${id.group === "" ? "core" : id.group}:${id.kind}::${place}`;
}

/** Reports whether the object with this key is of a group and, where one is given, of a kind. */
export function isKeyOf(
  key: string,
  { group, kind }: { readonly group: string; readonly kind?: string },
): boolean {
  const ofGroup = `${group === "" ? "core" : group}:`;
  return key.startsWith(kind === undefined ? ofGroup : `${ofGroup}${kind}::`);
}

/** How an object is named to people: `Deployment shop/web`. */
export function nameOf(id: Omit<ObjectId, "group">): string {
  return `${id.kind} ${id.namespace === "" ? id.name : `${id.namespace}/${id.name}`}`;
}

/** Empty where the server has not given one yet. */
export function uidOf(object: JsonObject): string {
  return textAt(object, "metadata", "uid") ?? "";
}

export function annotation(object: JsonObject, name: string): string | undefined {
  return textAt(object, "metadata", "annotations", name);
}

export function label(object: JsonObject, name: string): string | undefined {
  return textAt(object, "metadata", "labels", name);
}

/** The object with other values for some fields of its metadata. */
export function withMetadata(object: KubeObject, fields: JsonObject): KubeObject {
  return { ...object, metadata: { ...object.metadata, ...fields } };
}

export function isKubeObject(value: Json | undefined): value is KubeObject {
  return (
    textAt(value, "apiVersion") !== undefined &&
    textAt(value, "kind") !== undefined &&
    isObject(at(value, "metadata"))
  );
}

/** The name to people of an object that is known by its key. */
export function nameOfKey(key: string): string {
  return key.replace(/^[^:]*:([^:]+)::/, "$1 ");
}

/** What is wrong with an object's name, or undefined. */
export function wrongName(object: KubeObject): string | undefined {
  const name = object.metadata.name;
  if (typeof name !== "string" || name === "") return "has no metadata.name";
  if (name.length > 253) return `has a name of ${name.length} characters, 253 are allowed`;
  if (isRelaxed(groupOf(object.apiVersion))) {
    return isPathSegment(name) ? undefined : `has the name "${name}", which can't be part of a URL`;
  }
  return isDnsSubdomain(name)
    ? undefined
    : `has the name "${name}", which isn't lower-case letters, digits, "-" and "." as Kubernetes demands`;
}

/** What is wrong with a namespace that an object names, or undefined. */
export function wrongNamespace(metadata: JsonObject): string | undefined {
  const namespace = textAt(metadata, "namespace");
  if (namespace === undefined || isDnsLabel(namespace)) {
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

/** Numbers of kept objects end here: one that somebody made up must not keep the next from being told apart. */
export const highestNumber = 999_999_999;
