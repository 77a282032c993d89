import { isAdmissionConfiguration } from "../governors.ts";
import { at, isObject, type Json, textAt } from "../json.ts";
import { groupOf, idOf, type KubeObject, type ObjectId } from "../object.ts";

/** A policy, and an object that binds it. */
export interface PolicyWithBinding {
  readonly policy: KubeObject;
  readonly binding: KubeObject;
}

function isPolicyBinding(id: ObjectId): boolean {
  return isAdmissionConfiguration(id) && id.kind.endsWith("PolicyBinding");
}

/** Returns the policies of these objects, once with each of their bindings. */
export function boundPolicies(objects: readonly KubeObject[]): readonly PolicyWithBinding[] {
  const bindings = objects.filter((object) => isPolicyBinding(idOf(object)));
  return bindings.flatMap((binding) => {
    const kind = binding.kind.slice(0, -"Binding".length);
    const policy = objects.find(
      (each) => each.kind === kind && idOf(each).name === textAt(binding, "spec", "policyName"),
    );
    return policy === undefined ? [] : [{ policy, binding }];
  });
}

/**
 * Reports whether a binding can pass an object to its policy as a parameter. Without a namespace in
 * the reference, the parameter is in the namespace of each request.
 */
export function isParameter(object: KubeObject, { policy, binding }: PolicyWithBinding): boolean {
  const kind = at(policy, "spec", "paramKind");
  const reference = at(binding, "spec", "paramRef");
  if (!isObject(kind) || !isObject(reference)) return false;
  const isKind =
    object.kind === textAt(kind, "kind") &&
    groupOf(object.apiVersion) === groupOf(textAt(kind, "apiVersion") ?? "");
  const { name, namespace } = idOf(object);
  const [wantedName, wantedNamespace] = [textAt(reference, "name"), textAt(reference, "namespace")];
  return (
    isKind &&
    (wantedNamespace === undefined || wantedNamespace === namespace) &&
    (wantedName === undefined
      ? hasLabels(object, at(reference, "selector", "matchLabels"))
      : wantedName === name)
  );
}

/**
 * Compares `matchLabels`, but no expressions, so that an object can match although they don't.
 */
function hasLabels(object: KubeObject, labels: Json | undefined): boolean {
  return Object.entries(isObject(labels) ? labels : {}).every(
    ([name, value]) => textAt(object, "metadata", "labels", name) === value,
  );
}
