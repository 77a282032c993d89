import { isDefaultClass, requiredDefaultClasses } from "../../model/cluster/default-classes.ts";
import type { Edge } from "../../model/plan.ts";
import type { DeclaredObject } from "../declared/objects.ts";
import type { ObjectsByName } from "./pod-edges.ts";

/**
 * Returns the classes that can be the default of an object that names none.
 * The object gets the default class when it is created, and keeps it. A class that loses its
 * annotation is the default until then. For PriorityClasses, qvs doesn't check that for each Pod
 * template.
 */
export function defaultClassEdges(
  { object }: DeclaredObject,
  classes: ObjectsByName,
): readonly Edge[] {
  return requiredDefaultClasses(object).flatMap((kind) =>
    (classes.get(kind) ?? [])
      .filter(({ id, object: each }) => id.kind !== "PriorityClass" || isDefaultClass(id, each))
      .map(({ key: on, id }) => ({
        ...{ on, reason: `it names no ${id.kind} and gets the default`, whileCreated: true },
      })),
  );
}

/** Returns the `group/Kind` of a class; empty for other objects. */
export function classKinds({ id: { group, kind } }: DeclaredObject): readonly string[] {
  const isClass = ["StorageClass", "IngressClass", "PriorityClass"].includes(kind);
  return isClass ? [`${group}/${kind}`] : [];
}
