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
export interface PodNeed extends PodReference {
  /** A key of its data; undefined if any content is enough. */
  readonly key?: string | undefined;
  /** The path in the Pod's spec that names it. */
  readonly path: readonly string[];
}

type Container = readonly [place: readonly string[], container: Json];

/**
 * Lists the objects that a Pod needs.
 * Optional objects are left out, and objects that matter only to a node, such as an image pull
 * Secret.
 */
export function podNeeds(spec: JsonObject): readonly PodNeed[] {
  const containers = ["initContainers", "containers"].flatMap((list) =>
    listAt(spec, list).map((each, index): Container => [[list, String(index)], each]),
  );
  const volumes = listAt(spec, "volumes").map(
    (each, index): Container => [["volumes", String(index)], each],
  );
  const account = { kind: "ServiceAccount", name: serviceAccountName(spec) } as const;
  return [
    { ...account, path: ["serviceAccountName"] },
    ...containers.flatMap(([path, container]) => needsOfContainer(container, path)),
    ...volumes.flatMap(([path, volume]) => needsOfVolume(volume, path)),
  ];
}

function needsOfContainer(container: Json, path: readonly string[]): readonly PodNeed[] {
  const variables = listAt(container, "env").flatMap((variable, index) => {
    const from = [...path, "env", String(index), "valueFrom"];
    return [
      ...keyed("ConfigMap", variable, ["valueFrom", "configMapKeyRef"], from),
      ...keyed("Secret", variable, ["valueFrom", "secretKeyRef"], from),
    ];
  });
  const sources = listAt(container, "envFrom").flatMap((source, index) => {
    const from = [...path, "envFrom", String(index)];
    return [
      ...whole("ConfigMap", source, ["configMapRef"], "name", from),
      ...whole("Secret", source, ["secretRef"], "name", from),
    ];
  });
  return [...variables, ...sources];
}

function needsOfVolume(volume: Json, path: readonly string[]): readonly PodNeed[] {
  const projected = listAt(volume, "projected", "sources").flatMap((source, index) => {
    const from = [...path, "projected", "sources", String(index)];
    return [
      ...whole("ConfigMap", source, ["configMap"], "name", from),
      ...whole("Secret", source, ["secret"], "name", from),
    ];
  });
  return [
    ...whole("ConfigMap", volume, ["configMap"], "name", path),
    ...whole("Secret", volume, ["secret"], "secretName", path),
    ...whole("PersistentVolumeClaim", volume, ["persistentVolumeClaim"], "claimName", path),
    ...projected,
  ];
}

function keyed(
  kind: PodNeed["kind"],
  value: Json,
  at: readonly string[],
  path: readonly string[],
): readonly PodNeed[] {
  const found = within(value, at);
  const name = textAt(found, "name");
  if (name === undefined || isOptional(found)) return [];
  return [{ kind, name, key: textAt(found, "key"), path: [...path, at.at(-1) ?? ""] }];
}

/** Returns the object, once for each key that the Pod selects from it. */
function whole(
  kind: PodNeed["kind"],
  value: Json,
  at: readonly string[],
  field: string,
  path: readonly string[],
): readonly PodNeed[] {
  const found = within(value, at);
  const name = textAt(found, field);
  if (name === undefined || isOptional(found)) return [];
  const place = [...path, ...at];
  const keys = listAt(found, "items").flatMap((item) => textAt(item, "key") ?? []);
  return keys.length === 0
    ? [{ kind, name, path: place }]
    : keys.map((key) => ({ kind, name, key, path: place }));
}

function within(value: Json, path: readonly string[]): Json | undefined {
  return path.reduce<Json | undefined>(
    (found, step) => (isObject(found) ? fieldOf(found, step) : undefined),
    value,
  );
}

function isOptional(found: Json | undefined): boolean {
  return isObject(found) && !isList(found) && found["optional"] === true;
}
