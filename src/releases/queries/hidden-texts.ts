import type { LayoutNode } from "../../model/compilation.ts";
import { isList, isObject, type Json, type JsonObject, textAt } from "../../model/json.ts";
import type { Release, ReleasedManifest } from "../../model/release.ts";
import { textsOfSecret, textsToHide } from "../../redaction/hide-texts.ts";
import { namesSecret } from "../../redaction/looks-secret.ts";
import { isSecretLike } from "../../redaction/secret-like.ts";

/**
 * What stands in no answer about a release, wherever it stands: the values of params that are called secrets, and of those that the
 * layout marks. A record doesn't say which of them came from the command line, so all count. What objects are called is everywhere to be read:
 * without it, no sentence would say any more which object it is about.
 */
export function hiddenTexts({ inputConfig, layout, expandedConfig }: Release): readonly string[] {
  const known = new Set(expandedConfig.flatMap(wordsOfName));
  const texts = new Set([...ofParams(inputConfig.params, []), ...ofNode(layout)]);
  return [...texts].filter((text) => !known.has(text));
}

function wordsOfName({ stage, resource, object }: ReleasedManifest): readonly string[] {
  const fields = [["apiVersion"], ["kind"], ["metadata", "name"], ["metadata", "namespace"]];
  return [stage, resource, ...fields.flatMap((path) => textAt(object, ...path) ?? [])];
}

/** The values of all Secrets of a release besides, for messages of the cluster, which quote anything. */
export function secretTexts(release: Release): readonly string[] {
  const ofSecrets = release.expandedConfig.flatMap(({ object }) => textsIn(object));
  return [...new Set([...hiddenTexts(release), ...ofSecrets])];
}

function ofNode({ params, hidden = [], composites }: LayoutNode): readonly string[] {
  return [...ofParams(params, hidden), ...composites.flatMap(ofNode)];
}

function ofParams(params: JsonObject, hidden: readonly string[]): readonly string[] {
  return Object.entries(params).flatMap(([name, value]) =>
    hidden.includes(name) ? textsToHide(value) : ofParam(name, value),
  );
}

function ofParam(name: string, value: Json): readonly string[] {
  if (isReference(value)) return [];
  if (namesSecret(name)) return textsToHide(value);
  if (isList(value)) return value.flatMap((item) => ofParam("", item));
  return isObject(value) ? ofParams(value, []) : [];
}

/** A `#Secret` says where a secret is: `{key, version}`. */
function isReference(value: Json): boolean {
  return (
    isObject(value) &&
    "key" in value &&
    Object.keys(value).every((name) => ["key", "version"].includes(name))
  );
}

function textsIn(value: Json): readonly string[] {
  if (isList(value)) return value.flatMap(textsIn);
  if (!isObject(value)) return [];
  return isSecretLike(value) ? textsOfSecret(value) : Object.values(value).flatMap(textsIn);
}
