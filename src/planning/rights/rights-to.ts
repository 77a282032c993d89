import { keepOnDeleteAnnotation } from "../../model/annotations.ts";
import { isCrd } from "../../model/cluster/namespaces-and-crds.ts";
import type { Deployment } from "../../model/deployment.ts";
import { annotation, type KubeObject, type ObjectId } from "../../model/object.ts";
import type { ResourceOf } from "./api-resources.ts";
import type { Right } from "./right.ts";

/** An object of the deployment: declared now, or recorded by an earlier release. */
export interface OwnObject {
  readonly id: ObjectId;
  /** The manifest; undefined if only a release knows the object. */
  readonly object: KubeObject | undefined;
}

/** The deployment and its objects, from which its permissions follow. */
export interface RightsSubject {
  readonly deployment: Pick<Deployment, "name" | "namespace">;
  readonly objects: readonly OwnObject[];
  /** Objects outside the deployment that annotations wait for. */
  readonly outside: readonly ObjectId[];
  readonly resourceOf: ResourceOf;
  /** True for permissions to all objects of a kind, whatever their names are. */
  readonly byKind: boolean;
}

/** Returns permissions in one namespace or in all, to the named objects or to all. */
export function on(
  namespace: string | undefined,
  group: string,
  resource: string,
  verbs: readonly string[],
  names: readonly (string | undefined)[] = [undefined],
): readonly Right[] {
  return names.flatMap((name) => verbs.map((verb) => ({ namespace, group, resource, verb, name })));
}

export function named(names: readonly string[]): readonly string[] {
  return [...new Set(names)].toSorted();
}

interface Place {
  readonly namespace: string | undefined;
  readonly group: string;
  readonly plural: string;
}

export function placeOf({ group, kind, namespace }: ObjectId, resourceOf: ResourceOf): Place {
  const { plural, namespaced } = resourceOf(group, kind);
  return { namespace: namespaced ? namespace : undefined, group, plural };
}

export function toObject(
  id: ObjectId,
  resourceOf: ResourceOf,
  verbs: readonly string[],
): readonly Right[] {
  const { namespace, group, plural } = placeOf(id, resourceOf);
  return on(namespace, group, plural, verbs, [id.name]);
}

export function toKinds({ objects, resourceOf }: RightsSubject, verbs: readonly string[]) {
  return objects.flatMap(({ id }) => {
    const { namespace, group, plural } = placeOf(id, resourceOf);
    return on(namespace, group, plural, verbs);
  });
}

/** Keeps the objects that qvs lists and watches. */
export function listed(subject: RightsSubject): RightsSubject {
  return { ...subject, objects: subject.objects.filter(({ id }) => !isCrd(id)) };
}

/** Keeps the definitions, which qvs reads by name. */
export function definitionsIn(subject: RightsSubject): RightsSubject {
  return { ...subject, objects: subject.objects.filter(({ id }) => isCrd(id)) };
}

export function toObjects(subject: RightsSubject, verbs: readonly string[]): readonly Right[] {
  const { objects, resourceOf, byKind } = subject;
  return objects.flatMap((own) => {
    const { namespace, group, plural } = placeOf(own.id, resourceOf);
    const name = byKind || changesName(own) ? undefined : own.id.name;
    return on(namespace, group, plural, verbs, [name]);
  });
}

/** Reports whether the next revision of the object has another name, which isn't known yet. */
function changesName({ id, object }: OwnObject): boolean {
  if (isCrd(id)) return false;
  if (object !== undefined && annotation(object, keepOnDeleteAnnotation) !== undefined) return true;
  return (isCore(id, "ConfigMap") || isCore(id, "Secret")) && nameOfContent.test(id.name);
}

/**
 * A suffix that changes with the content: a hash, as adapters and Kustomize append it, or a number.
 */
const nameOfContent = /-([0-9a-f]{8,}|(?=([a-z]*\d){2})[a-z0-9]{8,}|v\d+)$/;

export function isCore({ group, kind }: ObjectId, name: string): boolean {
  return group === "" && kind === name;
}

export function namespacesOf(objects: readonly OwnObject[]): readonly string[] {
  return named(objects.flatMap(({ id }) => id.namespace || []));
}
