import { isCustomGroup } from "./cluster/api/built-in-groups.ts";
import { isDnsLabel, isDnsSubdomain } from "./cluster/object-names.ts";
import { at, isObject, type Json, type JsonObject, textAt } from "./json.ts";

/** A Kubernetes object as sent or as read. Every object of a plan has a `metadata.name`. */
export interface KubeObject extends JsonObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: JsonObject;
}

/** The API version and the kind, as in Kubernetes\' own TypeMeta. */
export type TypeMeta = Pick<KubeObject, "apiVersion" | "kind">;

/**
 * The identity of an object in all API versions: an object with another apiVersion is the same
 * object.
 */
export interface ObjectId {
  /** The API group; empty for the core group. */
  readonly group: string;
  readonly kind: string;
  /** Empty for cluster-scoped objects. */
  readonly namespace: string;
  readonly name: string;
}

/** The address of one object. Cluster-scoped kinds ignore the namespace. */
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

export function formatApiVersion({
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

/** Returns the names of the fields that every object needs and this one lacks. */
export function missingFields(object: JsonObject): readonly string[] {
  const required: readonly (readonly string[])[] = [["apiVersion"], ["kind"], ["metadata", "name"]];
  return required
    .filter((path) => (textAt(object, ...path) ?? "") === "")
    .map((path) => path.join("."));
}

/** Returns the address under which the API server finds the object. */
export function addressOf(object: KubeObject): ObjectAddress {
  const { group: _group, ...place } = idOf(object);
  return { apiVersion: object.apiVersion, ...place };
}

/**
 * Returns a unique key for an object, in the form of `vs.axis-dev.io/dependsOn`:
 * `apps:Deployment::shop/web`.
 */
export function keyOf(id: ObjectId): string {
  const place = id.namespace === "" ? id.name : `${id.namespace}/${id.name}`;
  return `${id.group === "" ? "core" : id.group}:${id.kind}::${place}`;
}

/** Reports whether the object with this key has the group and, if given, the kind. */
export function keyMatchesKind(
  key: string,
  { group, kind }: { readonly group: string; readonly kind?: string },
): boolean {
  const groupPrefix = `${group === "" ? "core" : group}:`;
  return key.startsWith(kind === undefined ? groupPrefix : `${groupPrefix}${kind}::`);
}

/** Returns the name of an object for messages: `Deployment shop/web`. */
export function nameOf(id: Omit<ObjectId, "group">): string {
  return `${id.kind} ${id.namespace === "" ? id.name : `${id.namespace}/${id.name}`}`;
}

/** Returns the UID of an object; empty if the API server hasn't set one yet. */
export function uidOf(object: JsonObject): string {
  return textAt(object, "metadata", "uid") ?? "";
}

/** Returns the creation time of an object (RFC 3339); empty if the API server has set none. */
export function creationTime(object: JsonObject): string {
  return textAt(object, "metadata", "creationTimestamp") ?? "";
}

/** The annotation with the manifest that `kubectl apply` or a similar client applied last. */
export const lastAppliedAnnotation = "kubectl.kubernetes.io/last-applied-configuration";

export function annotation(object: JsonObject, name: string): string | undefined {
  return textAt(object, "metadata", "annotations", name);
}

export function label(object: JsonObject, name: string): string | undefined {
  return textAt(object, "metadata", "labels", name);
}

/** Returns the object with other values for some fields of its metadata. */
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

/** Returns the name for messages of an object that is known by its key. */
export function nameFromKey(key: string): string {
  return key.replace(/^[^:]*:([^:]+)::/, "$1 ");
}

/** Returns the error in an object's name, or undefined. */
export function nameError(object: KubeObject): string | undefined {
  const name = object.metadata.name;
  if (typeof name !== "string" || name === "") return "has no metadata.name";
  if (name.length > 253)
    return `has a name of ${name.length} characters, and at most 253 are allowed`;
  if (allowsAnyName(groupOf(object.apiVersion))) {
    return isPathSegment(name) ? undefined : `has the name "${name}", which can't be part of a URL`;
  }
  return isDnsSubdomain(name)
    ? undefined
    : `has the name "${name}", but Kubernetes allows only lowercase letters, digits, "-" and "."`;
}

/** Returns the error in an object's namespace, or undefined. */
export function namespaceError(metadata: JsonObject): string | undefined {
  const namespace = textAt(metadata, "namespace");
  if (namespace === undefined || isDnsLabel(namespace)) {
    return undefined;
  }
  return `has the namespace "${namespace}", which isn't a DNS label`;
}

/**
 * Reports whether a group allows any path segment as a name. RBAC does (`system:node`), and an
 * aggregated API server might do so for its own kinds. An answer of the API server is better than
 * an error of qvs that no one can avoid.
 */
function allowsAnyName(group: string): boolean {
  return isCustomGroup(group) || group === "rbac.authorization.k8s.io";
}

function isPathSegment(name: string): boolean {
  return name !== "." && name !== ".." && !/[/%]/.test(name);
}

/**
 * The highest number of a kept object. A larger number that a user made up must not make the next
 * numbers indistinguishable.
 */
export const maxRevision = 999_999_999;
