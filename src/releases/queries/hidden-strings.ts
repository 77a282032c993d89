import type { Release } from "../../model/deployments/release.ts";
import { isList, isObject, type Json, type JsonObject, textAt } from "../../model/json.ts";
import type { LayoutNode } from "../../model/sources/compilation.ts";
import {
  createParamForms,
  type ParamForms,
  secretObjectForms,
  secretParamForms,
} from "../../redaction/scrub.ts";
import { isSensitiveObject } from "../../redaction/sensitive-object.ts";

/** The strings of releases, computed once for each release that is read. */
const computed = new WeakMap<Release, readonly string[]>();

/**
 * Returns the strings that no answer about a release contains.
 * They are the values of parameters that a preview hides, and of those that the layout marks as
 * hidden. Names of objects stay visible: without them, no message could name its object.
 */
export function hiddenStrings(
  release: Release,
  formsOf: ParamForms = createParamForms(),
): readonly string[] {
  const strings = computed.get(release) ?? computeHidden(release, formsOf);
  computed.set(release, strings);
  return strings;
}

function computeHidden(
  { inputConfig, layout, expandedConfig, deletionHooks = [] }: Release,
  formsOf: ParamForms,
): readonly string[] {
  const known = new Set([
    ...expandedConfig.flatMap(({ stage, resource, object }) => [
      stage,
      resource,
      ...objectNameWords(object),
    ]),
    ...deletionHooks.flatMap(({ object }) => objectNameWords(object)),
  ]);
  const texts = [
    ...secretParamForms(inputConfig.params, inputConfig, formsOf),
    ...layoutStrings(layout, formsOf),
  ];
  return [...new Set(texts)].filter((text) => !known.has(text));
}

/** Returns these strings of several releases, each once. */
export function hiddenInAny(releases: readonly Release[]): readonly string[] {
  const formsOf = createParamForms();
  return [...new Set(releases.flatMap((release) => hiddenStrings(release, formsOf)))];
}

function objectNameWords(object: JsonObject): readonly string[] {
  const fields = [["apiVersion"], ["kind"], ["metadata", "name"], ["metadata", "namespace"]];
  return fields.flatMap((path) => textAt(object, ...path) ?? []);
}

/**
 * Returns the same strings and the values of all Secrets, because cluster messages quote anything.
 */
export function secretStrings(release: Release): readonly string[] {
  const ofSecrets = [...release.expandedConfig, ...(release.deletionHooks ?? [])].flatMap(
    ({ object }) => objectSecretStrings(object),
  );
  return [...new Set([...hiddenStrings(release), ...ofSecrets])];
}

function layoutStrings(
  { params, hidden = [], composites }: LayoutNode,
  formsOf: ParamForms,
): readonly string[] {
  return [
    ...secretParamForms(params, { secret: hidden }, formsOf),
    ...composites.flatMap((each) => layoutStrings(each, formsOf)),
  ];
}

function objectSecretStrings(value: Json): readonly string[] {
  if (isList(value)) return value.flatMap(objectSecretStrings);
  if (!isObject(value)) return [];
  return isSensitiveObject(value)
    ? secretObjectForms(value)
    : Object.values(value).flatMap(objectSecretStrings);
}
