import { isList, isObject, type Json, type JsonObject, listAt } from "../model/json.ts";

/**
 * The resource ids that a resource refers to, sorted (spec §2): `$(ref.ID.PATH)` in any string of a Kubernetes
 * resource; for `pulumi-yaml` also `${id}`, `${id.path}` and `options.dependsOn`. A `${…}` that names no resource is
 * text: a shell script in a ConfigMap is full of them.
 */
export function referencedIds(
  object: JsonObject,
  content: JsonObject,
  pulumi: boolean,
  ids: ReadonlySet<string>,
): readonly string[] {
  const found = new Set<string>();
  for (const text of strings(object)) {
    for (const id of referencesIn(text, /\$\(ref\.([^()]+)\)/g, ids)) found.add(id);
    if (pulumi) for (const id of referencesIn(text, /(?<!\$)\$\{([^{}]+)\}/g, ids)) found.add(id);
  }
  for (const text of pulumi ? listAt(content, "options", "dependsOn") : []) {
    if (typeof text !== "string") continue;
    for (const id of referencesIn(text, /\$\{([^{}]+)\}/g, ids)) found.add(id);
  }
  return [...found].sort();
}

/** Ids may hold dots themselves, so the longest known id that the reference starts with is meant. */
function referencesIn(text: string, pattern: RegExp, ids: ReadonlySet<string>): string[] {
  return [...text.matchAll(pattern)].flatMap(([, reference = ""]) => {
    const known = [...ids].filter(
      (id) => reference === id || /^[.[]/.test(afterPrefix(reference, id)),
    );
    const longest = known.sort((a, b) => b.length - a.length)[0];
    return longest === undefined ? [] : [longest];
  });
}

function afterPrefix(text: string, prefix: string): string {
  return text.startsWith(prefix) ? text.slice(prefix.length) : "";
}

function* strings(value: Json | undefined): Generator<string> {
  if (typeof value === "string") yield value;
  else if (isList(value)) for (const item of value) yield* strings(item);
  else if (isObject(value)) for (const item of Object.values(value)) yield* strings(item);
}
