import { parse } from "yaml";
import type { LiveObjects } from "../../../src/model/deployments/release.ts";
import { isObject, type Json, type JsonObject } from "../../../src/model/json.ts";
import { idOf, type KubeObject, keyOf } from "../../../src/model/object.ts";
import { fieldManager } from "../../../src/model/plan/plan.ts";
import type { DeclaredObject } from "../../../src/plan/declared/objects.ts";
import { declare, placement } from "./declare.ts";

/** Returns the live objects from a YAML list, by key. */
export function liveFrom(yaml: string): LiveObjects {
  const objects = (parse(yaml) ?? []) as readonly KubeObject[];
  return new Map(objects.map((object) => [keyOf(idOf(object)), object]));
}

/** Returns the live objects after this deployment has applied the manifests. */
export function appliedFrom(yaml: string): LiveObjects {
  return new Map(declare(yaml).map((desired) => [desired.key, applied(desired)]));
}

/**
 * Returns the object like the API server does, with one entry in managedFields. Lists count as
 * atomic.
 */
export function applied(
  { key, object, stage }: DeclaredObject,
  owner = placement.deployment,
): KubeObject {
  const { name: _name, namespace: _namespace, ...metadata } = object.metadata;
  const { apiVersion, kind: _kind, ...rest } = object;
  const entry = {
    manager: fieldManager(owner, stage),
    operation: "Apply",
    apiVersion,
    fieldsV1: fieldsOf({ ...rest, metadata }),
  };
  return {
    ...object,
    metadata: {
      ...object.metadata,
      uid: `uid of ${key}`,
      resourceVersion: "7",
      managedFields: [entry],
    },
  };
}

function fieldsOf(value: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]): [string, Json] => [
      `f:${name}`,
      isObject(inner) ? fieldsOf(inner) : {},
    ]),
  );
}
