import { isList, isObject, type Json, textAt } from "../model/json.ts";
import { idOf, isKubeObject, keyOf } from "../model/object.ts";
import type { RecordedPath, Release, ReleasedManifest } from "../model/release.ts";
import { referencePieces, resolveReference } from "../model/text/reference-text.ts";
import { isSensitiveKind } from "../redaction/sensitive-object.ts";

/**
 * Returns the places where releases put Secret values into other objects, by object key.
 * Such a value stays live until the object is applied again, even if no manifest refers to a Secret
 * anymore.
 */
export function findSecretPlaces(
  releases: readonly Release[],
): ReadonlyMap<string, readonly RecordedPath[]> {
  const found = new Map<string, readonly RecordedPath[]>();
  for (const { expandedConfig } of releases) {
    const kinds = new Map(
      expandedConfig.map(({ resource, object }) => [resource, textAt(object, "kind") ?? ""]),
    );
    for (const manifest of expandedConfig) {
      const { object } = manifest;
      const places = manifestSecretPlaces(manifest, kinds);
      if (places.length === 0 || !isKubeObject(object)) continue;
      const key = keyOf(idOf(object));
      found.set(key, [...(found.get(key) ?? []), ...places]);
    }
  }
  return found;
}

function manifestSecretPlaces(
  { references, object }: ReleasedManifest,
  kinds: ReadonlyMap<string, string>,
): readonly RecordedPath[] {
  if (references !== true) return [];
  return stringPlaces(object, []).flatMap(({ place, text }) =>
    refersToSecret(text, kinds) ? [place] : [],
  );
}

/**
 * Reports whether a string refers to a Secret.
 * A record names resources with all their groups. A resource that it doesn't contain might be a
 * Secret.
 */
function refersToSecret(text: string, kinds: ReadonlyMap<string, string>): boolean {
  return referencePieces(text, false).some((piece) => {
    if (piece.type === "text") return false;
    const id = resolveReference(piece.inner, "", kinds.keys())?.id;
    return id === undefined || isSensitiveKind(kinds.get(id) ?? "Secret");
  });
}

function stringPlaces(
  value: Json,
  place: RecordedPath,
): readonly { readonly place: RecordedPath; readonly text: string }[] {
  if (typeof value === "string") return [{ place, text: value }];
  if (isList(value)) {
    return value.flatMap((item, index) =>
      stringPlaces(item, [...place, { index, name: textAt(item, "name") }]),
    );
  }
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([name, inner]) => stringPlaces(inner, [...place, name]));
}
