import type { LayoutNode } from "../../model/compilation.ts";
import { isList, isObject, type Json, textAt } from "../../model/json.ts";
import type { Release, ReleasedManifest } from "../../model/release.ts";
import { textsOfSecret, textsOfSecretParams } from "../../redaction/hide-texts.ts";
import { isSecretLike } from "../../redaction/secret-like.ts";

/**
 * Returns the strings that no answer about a release contains.
 * They are the values of parameters that a preview hides, and of those that the layout marks as
 * hidden. Names of objects stay visible: without them, no message could name its object.
 */
export function hiddenTexts({ inputConfig, layout, expandedConfig }: Release): readonly string[] {
  const known = new Set(expandedConfig.flatMap(wordsOfName));
  const texts = [...textsOfSecretParams(inputConfig.params, inputConfig), ...ofNode(layout)];
  return [...new Set(texts)].filter((text) => !known.has(text));
}

function wordsOfName({ stage, resource, object }: ReleasedManifest): readonly string[] {
  const fields = [["apiVersion"], ["kind"], ["metadata", "name"], ["metadata", "namespace"]];
  return [stage, resource, ...fields.flatMap((path) => textAt(object, ...path) ?? [])];
}

/**
 * Returns the same strings and the values of all Secrets, because cluster messages quote anything.
 */
export function secretTexts(release: Release): readonly string[] {
  const ofSecrets = release.expandedConfig.flatMap(({ object }) => textsIn(object));
  return [...new Set([...hiddenTexts(release), ...ofSecrets])];
}

function ofNode({ params, hidden = [], composites }: LayoutNode): readonly string[] {
  return [...textsOfSecretParams(params, { secret: hidden }), ...composites.flatMap(ofNode)];
}

function textsIn(value: Json): readonly string[] {
  if (isList(value)) return value.flatMap(textsIn);
  if (!isObject(value)) return [];
  return isSecretLike(value) ? textsOfSecret(value) : Object.values(value).flatMap(textsIn);
}
