import type { LayoutNode } from "../../model/compilation.ts";
import { isList, isObject, type Json, textAt } from "../../model/json.ts";
import type { Release, ReleasedManifest } from "../../model/release.ts";
import { textsOfSecret, textsOfSecretParams } from "../../redaction/hide-texts.ts";
import { isSecretLike } from "../../redaction/secret-like.ts";

/**
 * What stands in no answer about a release, wherever it stands: the values of params that a preview hides, whoever gave them, and of
 * those that the layout marks. What objects are called is everywhere to be read: without it, no sentence would say any more which object
 * it is about.
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

/** The values of all Secrets of a release besides, for messages of the cluster, which quote anything. */
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
