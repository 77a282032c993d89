import { at, fieldOf, isList, isObject, type Json, type JsonObject } from "../model/json.ts";

/** What the server makes of it: with the defaults of the schema, without fields that this does not have. */
export function asStored(value: Json, schema: JsonObject): Json {
  if (isList(value)) {
    const { items } = schema;
    return isObject(items) ? value.map((item) => asStored(item, items)) : value;
  }
  if (!isObject(value)) return value;
  const { properties } = schema;
  if (!isObject(properties)) {
    const { additionalProperties: inner } = schema;
    if (!isObject(inner)) return value;
    return mapFields(value, (item) => asStored(item, inner));
  }
  const keepsOthers = schema["x-kubernetes-preserve-unknown-fields"] === true;
  const known = Object.entries(value).flatMap(([name, item]) => {
    const below = fieldOf(properties, name);
    if (isObject(below)) return [[name, asStored(item, below)] as const];
    return keepsOthers ? [[name, item] as const] : [];
  });
  const defaults = Object.entries(properties).flatMap(([name, below]) => {
    const byDefault = at(below, "default");
    const isMissing = fieldOf(value, name) === undefined && byDefault !== undefined;
    return isMissing ? [[name, asStored(byDefault, below as JsonObject)] as const] : [];
  });
  return Object.fromEntries([...known, ...defaults]);
}

function mapFields(value: JsonObject, change: (item: Json) => Json): JsonObject {
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, change(item)]));
}
