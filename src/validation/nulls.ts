import { isList, isObject, type Json, type JsonObject } from "../model/json.ts";
import { isEmbedded } from "./embedded.ts";
import { fieldSchema } from "./structural.ts";

/**
 * The rules for null in the fields of a kind.
 * A CustomResourceDefinition has a schema. A built-in kind keeps null in no field. Otherwise the
 * rules are unknown, with the reason.
 */
export type NullRules =
  | { readonly by: "schema"; readonly schema: JsonObject }
  | { readonly by: "built-in kind" }
  /** `why` is missing if no cluster was asked. */
  | { readonly by: "nothing"; readonly why?: string };

/** Keeps every null that is not in metadata. */
export const keepEveryNull: NullRules = {
  by: "schema",
  schema: { "x-kubernetes-preserve-unknown-fields": true },
};

/** A null that the API server rejects or does not store. */
export interface StrayNull {
  readonly path: readonly string[];
  readonly why: "built-in kind" | "metadata" | "not nullable" | "default" | "no field" | "unknown";
}

/**
 * Separates the nulls that the API server stores from all others.
 * In an apply, the API server keeps null in a `nullable` field, and in an unknown field that is
 * preserved. Elsewhere it rejects the object, or drops the field if that has a default or no type
 * (tried with Kubernetes 1.36). A null list item stays: without it, the other items would move up.
 */
export function removeStrayNulls(
  object: JsonObject,
  rules: NullRules,
): { readonly object: JsonObject; readonly stray: readonly StrayNull[] } {
  const stray: StrayNull[] = [];
  const kept = Object.entries(object).flatMap(([name, value]): [string, Json][] => {
    const place = isCommonField(name)
      ? rejectionRule("metadata")
      : fieldRule(rootRule(rules), name);
    return resolveField(name, value, place, [], stray);
  });
  return { object: Object.fromEntries(kept), stray };
}

/** Reports whether the API server keeps null in a field of an object with this schema. */
export function keepsNull(schema: JsonObject, name: string): boolean {
  return keepsNullValue(fieldRule(schemaRule(schema), name));
}

/** Reports whether a field outside the metadata is null. */
export function hasNullField({ metadata: _metadata, ...content }: JsonObject): boolean {
  return containsNull(content);
}

function containsNull(value: Json): boolean {
  if (isList(value)) return value.some(containsNull);
  return (
    isObject(value) && Object.values(value).some((each) => each === null || containsNull(each))
  );
}

/** The rule for a null: a schema, an open object that keeps it, or a reason why it isn't kept. */
type FieldNullRule =
  | { readonly by: "schema"; readonly schema: JsonObject }
  | { readonly by: "openness" }
  | { readonly by: "reason"; readonly why: StrayNull["why"] };

const openRule: FieldNullRule = { by: "openness" };

function schemaRule(schema: JsonObject): FieldNullRule {
  return { by: "schema", schema };
}

function rejectionRule(why: StrayNull["why"]): FieldNullRule {
  return { by: "reason", why };
}

function rootRule(rules: NullRules): FieldNullRule {
  switch (rules.by) {
    case "schema":
      return rules;
    case "built-in kind":
      return rejectionRule("built-in kind");
    case "nothing":
      return rejectionRule("unknown");
  }
}

function isCommonField(name: string): boolean {
  return name === "apiVersion" || name === "kind" || name === "metadata";
}

function fieldRule(place: FieldNullRule, name: string): FieldNullRule {
  if (place.by !== "schema") return place;
  const { schema } = place;
  const own = fieldSchema(schema, name);
  if (own !== undefined) return schemaRule(own);
  // The API server reads the metadata of an embedded object like that of any other object.
  if (isEmbedded(schema) && isCommonField(name)) return rejectionRule("metadata");
  return preservesUnknownFields(schema) || schema["additionalProperties"] === true
    ? openRule
    : rejectionRule("no field");
}

function itemRule(place: FieldNullRule): FieldNullRule {
  if (place.by !== "schema") return place;
  const { items } = place.schema;
  if (isObject(items)) return schemaRule(items);
  return preservesUnknownFields(place.schema) ? openRule : rejectionRule("no field");
}

function preservesUnknownFields(schema: JsonObject): boolean {
  return schema["x-kubernetes-preserve-unknown-fields"] === true;
}

function keepsNullValue(place: FieldNullRule): boolean {
  return place.by === "openness" || (place.by === "schema" && place.schema["nullable"] === true);
}

function resolveField(
  name: string,
  value: Json,
  place: FieldNullRule,
  path: readonly string[],
  stray: StrayNull[],
): [string, Json][] {
  const here = [...path, name];
  if (value !== null || keepsNullValue(place))
    return [[name, resolveValue(value, place, here, stray)]];
  if (!isGeneratedTimestamp(here)) stray.push({ path: here, why: strayReason(place) });
  return [];
}

function resolveValue(
  value: Json,
  place: FieldNullRule,
  path: readonly string[],
  stray: StrayNull[],
): Json {
  if (isList(value)) {
    const items = itemRule(place);
    return value.map((item, index) => resolveValue(item, items, [...path, String(index)], stray));
  }
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, inner]) =>
      resolveField(name, inner, fieldRule(place, name), path, stray),
    ),
  );
}

function strayReason(place: FieldNullRule): StrayNull["why"] {
  if (place.by === "reason") return place.why;
  const hasDefault = place.by === "schema" && place.schema["default"] !== undefined;
  return hasDefault ? "default" : "not nullable";
}

/**
 * Reports whether a path is a timestamp that generators write.
 * They write `creationTimestamp: null` into the metadata of every template.
 */
function isGeneratedTimestamp(path: readonly string[]): boolean {
  return path.at(-1) === "creationTimestamp" && path.at(-2) === "metadata";
}
