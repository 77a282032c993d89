import { podClassKinds } from "../governors.ts";
import { at, isObject, type JsonObject, listAt, textAt } from "../json.ts";

/**
 * Returns the classes that a Pod names. The API server rejects the Pod if a class doesn't exist.
 */
export function podClasses(spec: JsonObject) {
  return podClassKinds.flatMap(({ podField, ...kind }) => {
    const name = textAt(spec, podField);
    return name === undefined ? [] : [{ ...kind, name }];
  });
}

/** Reports whether namespace labels decide which Pods must or must not run on the same node. */
export function selectsNamespaces(spec: JsonObject): boolean {
  return ["podAffinity", "podAntiAffinity"].some((kind) =>
    listAt(spec, "affinity", kind, "requiredDuringSchedulingIgnoredDuringExecution").some((term) =>
      isObject(at(term, "namespaceSelector")),
    ),
  );
}
