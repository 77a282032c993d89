import { isList, isObject, type Json, type JsonObject } from "../model/json.ts";
import { isEmbedded } from "./embedded.ts";
import { schemaOfField } from "./structural.ts";

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
export const everyNull: NullRules = {
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
export function withoutStrayNulls(
  object: JsonObject,
  rules: NullRules,
): { readonly object: JsonObject; readonly stray: readonly StrayNull[] } {
  const stray: StrayNull[] = [];
  const kept = Object.entries(object).flatMap(([name, value]): [string, Json][] => {
    const place = isOfEveryObject(name) ? never("metadata") : fieldPlace(placeOf(rules), name);
    return settled(name, value, place, [], stray);
  });
  return { object: Object.fromEntries(kept), stray };
}

/** Reports whether the API server keeps null in a field of an object with this schema. */
export function keepsNull(schema: JsonObject, name: string): boolean {
  return keeps(fieldPlace(bySchema(schema), name));
}

/** Reports whether a field outside the metadata is null. */
export function hasNullField({ metadata: _metadata, ...content }: JsonObject): boolean {
  return holdsNull(content);
}

function holdsNull(value: Json): boolean {
  if (isList(value)) return value.some(holdsNull);
  return isObject(value) && Object.values(value).some((each) => each === null || holdsNull(each));
}

/** The rule for a null: a schema, an open object that keeps it, or a reason why it isn't kept. */
type Place =
  | { readonly by: "schema"; readonly schema: JsonObject }
  | { readonly by: "openness" }
  | { readonly by: "reason"; readonly why: StrayNull["why"] };

const open: Place = { by: "openness" };

function bySchema(schema: JsonObject): Place {
  return { by: "schema", schema };
}

function never(why: StrayNull["why"]): Place {
  return { by: "reason", why };
}

function placeOf(rules: NullRules): Place {
  switch (rules.by) {
    case "schema":
      return rules;
    case "built-in kind":
      return never("built-in kind");
    case "nothing":
      return never("unknown");
  }
}

function isOfEveryObject(name: string): boolean {
  return name === "apiVersion" || name === "kind" || name === "metadata";
}

function fieldPlace(place: Place, name: string): Place {
  if (place.by !== "schema") return place;
  const { schema } = place;
  const own = schemaOfField(schema, name);
  if (own !== undefined) return bySchema(own);
  // The API server reads the metadata of an embedded object like that of any other object.
  if (isEmbedded(schema) && isOfEveryObject(name)) return never("metadata");
  return isOpen(schema) || schema["additionalProperties"] === true ? open : never("no field");
}

function itemPlace(place: Place): Place {
  if (place.by !== "schema") return place;
  const { items } = place.schema;
  if (isObject(items)) return bySchema(items);
  return isOpen(place.schema) ? open : never("no field");
}

function isOpen(schema: JsonObject): boolean {
  return schema["x-kubernetes-preserve-unknown-fields"] === true;
}

function keeps(place: Place): boolean {
  return place.by === "openness" || (place.by === "schema" && place.schema["nullable"] === true);
}

function settled(
  name: string,
  value: Json,
  place: Place,
  path: readonly string[],
  stray: StrayNull[],
): [string, Json][] {
  const here = [...path, name];
  if (value !== null || keeps(place)) return [[name, within(value, place, here, stray)]];
  if (!isTimestampOfGenerators(here)) stray.push({ path: here, why: whyStray(place) });
  return [];
}

function within(value: Json, place: Place, path: readonly string[], stray: StrayNull[]): Json {
  if (isList(value)) {
    const items = itemPlace(place);
    return value.map((item, index) => within(item, items, [...path, String(index)], stray));
  }
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, inner]) =>
      settled(name, inner, fieldPlace(place, name), path, stray),
    ),
  );
}

function whyStray(place: Place): StrayNull["why"] {
  if (place.by === "reason") return place.why;
  const hasDefault = place.by === "schema" && place.schema["default"] !== undefined;
  return hasDefault ? "default" : "not nullable";
}

/**
 * Reports whether a path is a timestamp that generators write.
 * They write `creationTimestamp: null` into the metadata of every template.
 */
function isTimestampOfGenerators(path: readonly string[]): boolean {
  return path.at(-1) === "creationTimestamp" && path.at(-2) === "metadata";
}
