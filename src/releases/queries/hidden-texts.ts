import type { LayoutNode } from "../../model/compilation.ts";
import { isList, isObject, type Json, type JsonObject } from "../../model/json.ts";
import type { Release } from "../../model/release.ts";
import { textsOfSecret, textsToHide } from "../../redaction/hide-texts.ts";
import { namesSecret } from "../../redaction/looks-secret.ts";
import { isSecretLike } from "../../redaction/secret-like.ts";

/**
 * What stands in no answer about a release, wherever it stands: the values of params that are called secrets, and of those that the
 * layout marks. A record doesn't say which of them came from the command line, so all count.
 */
export function hiddenTexts({ inputConfig, layout }: Release): readonly string[] {
  return [...new Set([...ofParams(inputConfig.params, []), ...ofNode(layout)])];
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
