import { type Json, sameJson } from "../model/json.ts";
import { idOf, isKubeObject, keyOf } from "../model/object.ts";
import type { Release, ReleasedManifest } from "../model/release.ts";

type DeclaredManifests = Pick<Release, "expandedConfig">;

/**
 * Reports whether two releases declare the same objects in the same stages.
 * The names of their resources can differ.
 */
export function declareSameObjects(a: DeclaredManifests, b: DeclaredManifests): boolean {
  const [one, other] = [objectsByKey(a), objectsByKey(b)];
  return (
    one.size === other.size && [...one].every(([key, value]) => isSameJson(value, other.get(key)))
  );
}

/** Compares two values as JSON. A record was JSON, which omits fields without a value. */
function isSameJson(a: Json, b: Json | undefined): boolean {
  return b !== undefined && sameJson(normalizeJson(a), normalizeJson(b));
}

function normalizeJson(value: Json): Json {
  return JSON.parse(JSON.stringify(value)) as Json;
}

function objectsByKey({ expandedConfig }: DeclaredManifests): ReadonlyMap<string, Json> {
  return new Map(
    expandedConfig.map((manifest) => [
      `${manifest.stage} ${manifestKey(manifest)}`,
      { object: manifest.object, references: manifest.references ?? false },
    ]),
  );
}

/**
 * Returns the key of a manifest.
 * Recorded manifests are normalized, so their IDs equal those of the live objects.
 */
function manifestKey({ object, resource }: ReleasedManifest): string {
  return isKubeObject(object) ? keyOf(idOf(object)) : resource;
}
