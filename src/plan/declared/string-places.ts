import type { ValuePath } from "../../model/apply-time-reference.ts";
import { fieldOf, type JsonObject, textAt } from "../../model/json.ts";

/**
 * Reports whether Kubernetes takes only strings at a path of an object.
 * A number or boolean from a reference must become a string there. Such places are `data` of a
 * ConfigMap, `stringData` of a Secret, all labels and annotations, and the commands, arguments and
 * environment of containers.
 */
export function isStringPlace(object: JsonObject, path: ValuePath): boolean {
  const [top] = path;
  if (path.length === 2 && top === stringField(object)) return true;
  const [parent, field, last] = path.slice(-3);
  if (parent === "metadata") return field === "labels" || field === "annotations";
  if (field === "args" || field === "command") return isContainer(path.slice(0, -2));
  return last === "value" && parent === "env" && isContainer(path.slice(0, -3));
}

function stringField(object: JsonObject): string | undefined {
  if (textAt(object, "apiVersion") !== "v1") return undefined;
  return fieldOf(stringFields, textAt(object, "kind") ?? "");
}

const stringFields: Readonly<Record<string, string>> = { ConfigMap: "data", Secret: "stringData" };

const containerLists: ReadonlySet<string | number | undefined> = new Set([
  "containers",
  "initContainers",
]);

function isContainer(path: ValuePath): boolean {
  return typeof path.at(-1) === "number" && containerLists.has(path.at(-2));
}
