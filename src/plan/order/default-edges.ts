import { isDefaultClass, unnamedClasses } from "../../model/cluster/default-classes.ts";
import type { Edge } from "../../model/plan.ts";
import type { DeclaredObject } from "../declared/objects.ts";
import type { Found } from "./pod-edges.ts";

/**
 * What names no class gets the one that is the default when it is created, and keeps it. A class of which the annotation goes is the default until
 * then; whether a PriorityClass was it nobody asks for each Pod template.
 */
export function whatMayBeItsDefault({ object }: DeclaredObject, classes: Found): readonly Edge[] {
  return unnamedClasses(object).flatMap((kind) =>
    (classes.get(kind) ?? [])
      .filter(({ id, object: each }) => id.kind !== "PriorityClass" || isDefaultClass(id, each))
      .map(({ key: on, id }) => ({
        ...{ on, reason: `it names no ${id.kind}, and gets the default`, whileCreated: true },
      })),
  );
}

/** `group/Kind` of a class. */
export function classKinds({ id: { group, kind } }: DeclaredObject): readonly string[] {
  const isClass = ["StorageClass", "IngressClass", "PriorityClass"].includes(kind);
  return isClass ? [`${group}/${kind}`] : [];
}
