import { textAt } from "../json.ts";
import { type KubeObject, keyOf, nameOf, type ObjectId } from "../object.ts";

/** Whether deleting it deletes other objects, whatever they are. */
export function isHolder(id: ObjectId): boolean {
  return isNamespace(id) || isDefinition(id);
}

export function isNamespace(id: ObjectId): boolean {
  return id.kind === "Namespace" && id.group === "";
}

export function namespaceKey(name: string): string {
  return keyOf({ group: "", kind: "Namespace", namespace: "", name });
}

/**
 * Clusters have hundreds of them, and each may be a megabyte: they are read one by one, by the names that are known, and not listed or
 * watched.
 */
export function isDefinition(id: Pick<ObjectId, "group" | "kind">): boolean {
  return id.kind === "CustomResourceDefinition" && id.group === "apiextensions.k8s.io";
}

export interface Holder {
  readonly id: ObjectId;
  readonly live: KubeObject;
}

/** With a Namespace everything in it is deleted, with a CRD every object of its kind. */
export function isDeletedWith(other: ObjectId, { id, live }: Holder): boolean {
  if (isNamespace(id)) return other.namespace === id.name;
  return isDefinition(id) && definesKind(live, other);
}

export function definesKind(
  definition: KubeObject,
  { group, kind }: Pick<ObjectId, "group" | "kind">,
): boolean {
  return (
    group === textAt(definition, "spec", "group") &&
    kind === textAt(definition, "spec", "names", "kind")
  );
}

/** What is deleted with a Namespace or CustomResourceDefinition and is not this deployment's. */
export interface Holdings {
  /** Sorted by key. What another of them owns, or the cluster makes in every namespace, is not among them. */
  readonly objects: readonly HeldObject[];
  /** What could not be looked at, sorted by kind. */
  readonly unread: readonly UnreadKind[];
}

/** What goes with it, as people name it. */
export function takenWith(holds: Holdings | undefined): readonly string[] {
  return holds?.objects.map(({ id }) => nameOf(id)) ?? [];
}

export interface HeldObject {
  readonly key: string;
  readonly id: ObjectId;
  /** Who manages it, in words; empty where nothing tells. */
  readonly manager: string;
}

export interface UnreadKind {
  readonly kind: string;
  /** What the API server said. */
  readonly why: string;
}
