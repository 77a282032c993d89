import { fieldOf, isObject, type JsonObject, withoutField } from "../json.ts";
import { groupOf, type KubeObject } from "../object.ts";
import { podSpecOf } from "./pods.ts";
import type { ServerVersion } from "./server-version.ts";
import { hasBehavior } from "./version-facts.ts";

/**
 * Removes the fields that an API server of this version drops without an error, because their
 * feature is off. The answer to a dry run shows the same; this is for objects without an answer.
 */
export function withoutUnstoredFields(
  object: KubeObject,
  server: ServerVersion | undefined,
): KubeObject {
  const pods = podSpecOf(object);
  const paths = [
    ...(pods === undefined || hasBehavior("podLevelResources", server)
      ? []
      : [[...pods.path, "resources"]]),
    ...(isStatefulSet(object) && !hasBehavior("statefulSetMaxUnavailable", server)
      ? [["spec", "updateStrategy", "rollingUpdate", "maxUnavailable"]]
      : []),
  ];
  return paths.reduce<KubeObject>((left, path) => without(left, path) as KubeObject, object);
}

/** Removes such fields from the spec of a Pod. */
export function withoutUnstoredPodFields(
  spec: JsonObject,
  server: ServerVersion | undefined,
): JsonObject {
  return hasBehavior("podLevelResources", server) ? spec : without(spec, ["resources"]);
}

function isStatefulSet({ apiVersion, kind }: KubeObject): boolean {
  return groupOf(apiVersion) === "apps" && kind === "StatefulSet";
}

/** Returns the object without the field at the path; the same object if it lacks the field. */
function without(object: JsonObject, [name = "", ...rest]: readonly string[]): JsonObject {
  if (!Object.hasOwn(object, name)) return object;
  if (rest.length === 0) return withoutField(object, name);
  const inner = fieldOf(object, name);
  if (!isObject(inner)) return object;
  const left = without(inner, rest);
  return left === inner ? object : { ...object, [name]: left };
}
