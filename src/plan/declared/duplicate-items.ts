import { podSpecOf } from "../../model/cluster/pods.ts";
import { fieldOf, isList, isObject, type Json, type JsonObject, listAt } from "../../model/json.ts";
import type { KubeObject } from "../../model/object.ts";

/**
 * The fields by which the API server distinguishes the items of a list
 * (`x-kubernetes-list-map-keys`).
 */
const podLists: ListKeys = {
  containers: ["name"],
  initContainers: ["name"],
  ephemeralContainers: ["name"],
  volumes: ["name"],
  imagePullSecrets: ["name"],
};
const containerLists: ListKeys = {
  env: ["name"],
  ports: ["containerPort", "protocol"],
  volumeMounts: ["mountPath"],
  volumeDevices: ["devicePath"],
};
const serviceLists: ListKeys = { ports: ["port", "protocol"] };

type ListKeys = Readonly<Record<string, readonly string[]>>;

/**
 * Describes list items that the API server couldn't distinguish.
 * Example: `spec.template.spec.containers[0].env has "PORT" more than once`. Server-Side Apply
 * would merge these items or never remove one of them, so qvs rejects them.
 */
export function duplicateItems(object: KubeObject): readonly string[] {
  if (object.apiVersion === "v1" && object.kind === "Service") {
    const spec = object.spec;
    return isObject(spec) ? findDuplicates(spec, "spec", serviceLists) : [];
  }
  const pod = podSpecOf(object);
  if (pod === undefined) return [];
  const path = pod.path.join(".");
  return [...findDuplicates(pod.spec, path, podLists), ...containerDuplicates(pod.spec, path)];
}

function containerDuplicates(spec: JsonObject, path: string): readonly string[] {
  return ["initContainers", "containers", "ephemeralContainers"].flatMap((list) =>
    listAt(spec, list).flatMap((container, index) =>
      isObject(container)
        ? findDuplicates(container, `${path}.${list}[${index}]`, containerLists)
        : [],
    ),
  );
}

function findDuplicates(parent: JsonObject, path: string, lists: ListKeys): readonly string[] {
  return Object.entries(lists).flatMap(([list, keys]) => {
    const items = fieldOf(parent, list);
    if (!isList(items)) return [];
    return repeatedTexts(items.map((item) => keyText(item, keys))).map(
      (key) => `${path}.${list} has ${key} more than once`,
    );
  });
}

function keyText(item: Json, keys: readonly string[]): string | undefined {
  if (!isObject(item)) return undefined;
  const values = keys.map((key) => fieldOf(item, key));
  if (values.some((value) => value === undefined)) return undefined;
  return values.map((value) => JSON.stringify(value)).join("/");
}

function repeatedTexts(texts: readonly (string | undefined)[]): readonly string[] {
  const seen = new Set<string>();
  const twice = new Set<string>();
  for (const text of texts) {
    if (text === undefined) continue;
    if (seen.has(text)) twice.add(text);
    seen.add(text);
  }
  return [...twice].sort();
}
