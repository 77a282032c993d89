import { at, isObject, type Json, type JsonObject, listAt, textAt } from "../json.ts";
import { type GroupKind, isCoreKind } from "../kinds.ts";
import {
  groupOf,
  type KubeObject,
  keyOf,
  nameOf,
  type ObjectId,
  type TypeMeta,
} from "../object.ts";

/**
 * Reports whether an object is a Namespace or CustomResourceDefinition. Its deletion deletes other
 * objects.
 */
export function isNamespaceOrCrd(id: ObjectId): boolean {
  return isNamespace(id) || isCrd(id);
}

export function isNamespace(id: ObjectId): boolean {
  return isCoreKind(id, "Namespace");
}

export function namespaceKey(name: string): string {
  return keyOf({ group: "", kind: "Namespace", namespace: "", name });
}

/**
 * Reports whether an object is a CustomResourceDefinition.
 * A cluster can have hundreds of them, each up to a megabyte. qvs therefore reads only the ones it
 * needs, by name, and doesn't list or watch them.
 */
export function isCrd(id: GroupKind): boolean {
  return id.kind === "CustomResourceDefinition" && id.group === "apiextensions.k8s.io";
}

/** Reports whether a manifest declares a CustomResourceDefinition. */
export function isCrdManifest({ apiVersion, kind }: JsonObject): boolean {
  const isKind = typeof apiVersion === "string" && typeof kind === "string";
  return isKind && isCrd({ group: groupOf(apiVersion), kind });
}

export interface NamespaceOrCrd {
  readonly id: ObjectId;
  readonly live: KubeObject;
}

/** Reports whether the deletion of a Namespace or CustomResourceDefinition deletes `other`. */
export function isDeletedWith(other: ObjectId, { id, live }: NamespaceOrCrd): boolean {
  if (isNamespace(id)) return other.namespace === id.name;
  return isCrd(id) && definesKind(live, other);
}

export function definesKind(crd: KubeObject, { group, kind }: GroupKind): boolean {
  return group === textAt(crd, "spec", "group") && kind === textAt(crd, "spec", "names", "kind");
}

/** Returns the version of a definition for an API version such as `example.com/v1`. */
export function crdVersion(crd: KubeObject | undefined, apiVersion: string): Json | undefined {
  return crdVersions(crd).find((each) => textAt(each, "name") === versionName(apiVersion));
}

/** Returns the version of a definition in which the API server stores its objects. */
export function storageVersion(crd: KubeObject | undefined): Json | undefined {
  return crdVersions(crd).find((each) => at(each, "storage") === true);
}

/** Reports whether the API server stores an object of this API version as it is sent. */
export function isStoredVersion(crd: KubeObject | undefined, apiVersion: string): boolean {
  return textAt(storageVersion(crd), "name") === versionName(apiVersion);
}

function versionName(apiVersion: string): string {
  return apiVersion.slice(apiVersion.indexOf("/") + 1);
}

function crdVersions(crd: KubeObject | undefined): readonly Json[] {
  return listAt(crd, "spec", "versions");
}

/**
 * The objects outside this deployment that a Namespace or CustomResourceDefinition deletes with it.
 */
export interface DeletedContents {
  /**
   * Sorted by key, without objects that another one owns or that the cluster creates in every
   * namespace.
   */
  readonly objects: readonly ContainedObject[];
  /** The kinds that qvs couldn't read, sorted by kind. */
  readonly unread: readonly UnreadKind[];
}

/** Returns the display names of the objects in `holds`. */
export function containedNames(contents: DeletedContents | undefined): readonly string[] {
  return contents?.objects.map(({ id }) => nameOf(id)) ?? [];
}

export interface ContainedObject {
  readonly key: string;
  readonly id: ObjectId;
  /** A description of the manager; empty if it's unknown. */
  readonly manager: string;
}

export interface UnreadKind {
  readonly kind: string;
  /** The message of the API server. */
  readonly why: string;
}

/**
 * Reports whether objects of a kind can have a status, by the CustomResourceDefinition among these
 * objects. Undefined if none of them defines the kind in this version.
 */
export function definedStatus(
  objects: readonly KubeObject[],
  { apiVersion, kind }: TypeMeta,
): boolean | undefined {
  const defined: GroupKind = { group: groupOf(apiVersion), kind };
  const versions = objects
    .filter((each) => isCrd({ group: groupOf(each.apiVersion), kind: each.kind }))
    .filter((each) => definesKind(each, defined))
    .flatMap((each) => listAt(each, "spec", "versions"));
  const version = versions.find((each) => textAt(each, "name") === apiVersion.split("/").at(-1));
  if (version === undefined) return undefined;
  const hasSubresource = isObject(at(version, "subresources", "status"));
  return hasSubresource || hasStatusSchema(at(version, "schema", "openAPIV3Schema"));
}

/** Reports whether the schema of a kind has a field `status`. */
export function hasStatusSchema(schema: Json | undefined): boolean {
  return isObject(at(schema, "properties", "status"));
}
