import type { PodReference } from "../model/cluster/pods.ts";
import { serviceAccountName } from "../model/cluster/pods.ts";
import {
  fieldOf,
  isList,
  isObject,
  type Json,
  type JsonObject,
  listAt,
  textAt,
} from "../model/json.ts";

/** Another object of the namespace without which the containers of a Pod can't start. */
export interface PodDependency extends PodReference {
  /** A key of its data; undefined if any content is enough. */
  readonly key?: string | undefined;
  /** The path in the Pod's spec that names it. */
  readonly path: readonly string[];
}

type PlacedItem = readonly [place: readonly string[], container: Json];

/**
 * Lists the objects that a Pod needs.
 * Optional objects are left out, and objects that matter only to a node, such as an image pull
 * Secret.
 */
export function podDependencies(spec: JsonObject): readonly PodDependency[] {
  const containers = ["initContainers", "containers"].flatMap((list) =>
    listAt(spec, list).map((each, index): PlacedItem => [[list, String(index)], each]),
  );
  const volumes = listAt(spec, "volumes").map(
    (each, index): PlacedItem => [["volumes", String(index)], each],
  );
  const serviceAccount = { kind: "ServiceAccount", name: serviceAccountName(spec) } as const;
  return [
    { ...serviceAccount, path: ["serviceAccountName"] },
    ...containers.flatMap(([path, container]) => containerDependencies(container, path)),
    ...volumes.flatMap(([path, volume]) => volumeDependencies(volume, path)),
  ];
}

function containerDependencies(container: Json, path: readonly string[]): readonly PodDependency[] {
  const variables = listAt(container, "env").flatMap((variable, index) => {
    const from = [...path, "env", String(index), "valueFrom"];
    return [
      ...keyDependency("ConfigMap", variable, ["valueFrom", "configMapKeyRef"], from),
      ...keyDependency("Secret", variable, ["valueFrom", "secretKeyRef"], from),
    ];
  });
  const sources = listAt(container, "envFrom").flatMap((source, index) => {
    const from = [...path, "envFrom", String(index)];
    return [
      ...sourceDependencies("ConfigMap", source, ["configMapRef"], "name", from),
      ...sourceDependencies("Secret", source, ["secretRef"], "name", from),
    ];
  });
  return [...variables, ...sources];
}

function volumeDependencies(volume: Json, path: readonly string[]): readonly PodDependency[] {
  const projected = listAt(volume, "projected", "sources").flatMap((source, index) => {
    const from = [...path, "projected", "sources", String(index)];
    return [
      ...sourceDependencies("ConfigMap", source, ["configMap"], "name", from),
      ...sourceDependencies("Secret", source, ["secret"], "name", from),
    ];
  });
  return [
    ...sourceDependencies("ConfigMap", volume, ["configMap"], "name", path),
    ...sourceDependencies("Secret", volume, ["secret"], "secretName", path),
    ...sourceDependencies(
      "PersistentVolumeClaim",
      volume,
      ["persistentVolumeClaim"],
      "claimName",
      path,
    ),
    ...projected,
  ];
}

function keyDependency(
  kind: PodDependency["kind"],
  value: Json,
  at: readonly string[],
  path: readonly string[],
): readonly PodDependency[] {
  const found = valueAtPath(value, at);
  const name = textAt(found, "name");
  if (name === undefined || isOptional(found)) return [];
  return [{ kind, name, key: textAt(found, "key"), path: [...path, at.at(-1) ?? ""] }];
}

/** Returns the object, once for each key that the Pod selects from it. */
function sourceDependencies(
  kind: PodDependency["kind"],
  value: Json,
  at: readonly string[],
  field: string,
  path: readonly string[],
): readonly PodDependency[] {
  const found = valueAtPath(value, at);
  const name = textAt(found, field);
  if (name === undefined || isOptional(found)) return [];
  const place = [...path, ...at];
  const keys = listAt(found, "items").flatMap((item) => textAt(item, "key") ?? []);
  return keys.length === 0
    ? [{ kind, name, path: place }]
    : keys.map((key) => ({ kind, name, key, path: place }));
}

function valueAtPath(value: Json, path: readonly string[]): Json | undefined {
  return path.reduce<Json | undefined>(
    (found, step) => (isObject(found) ? fieldOf(found, step) : undefined),
    value,
  );
}

function isOptional(found: Json | undefined): boolean {
  return isObject(found) && !isList(found) && found["optional"] === true;
}
