import { type JsonObject, textAt } from "./json.ts";
import { groupOf, type ObjectId } from "./object.ts";

/** The objects that another deployment of the same run declares. */
export interface OtherDeclarations {
  readonly deployment: string;
  /** The namespace of objects without one. */
  readonly namespace: string;
  /** The objects, at least their identities; undefined if the deployment doesn't compile. */
  readonly objects: readonly JsonObject[] | undefined;
}

/** Reports whether a deployment declares an object. A version of its API isn't part of its id. */
export function declaresObject(
  { namespace, objects = [] }: OtherDeclarations,
  id: ObjectId,
): boolean {
  return objects.some(
    (object) =>
      textAt(object, "kind") === id.kind &&
      groupOf(textAt(object, "apiVersion") ?? "") === id.group &&
      textAt(object, "metadata", "name") === id.name &&
      (id.namespace === "" ||
        (textAt(object, "metadata", "namespace") ?? namespace) === id.namespace),
  );
}
